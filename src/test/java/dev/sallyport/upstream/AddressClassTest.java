package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AddressClassTest {
    @ParameterizedTest
    @CsvSource({
        "140.82.121.3, PUBLIC",
        "1.1.1.1, PUBLIC",
        "11.0.0.0, PUBLIC",
        "9.255.255.255, PUBLIC",
        "100.63.255.255, PUBLIC",
        "100.128.0.0, PUBLIC",
        "172.15.255.255, PUBLIC",
        "172.32.0.0, PUBLIC",
        "198.17.255.255, PUBLIC",
        "198.20.0.0, PUBLIC",
        "223.255.255.255, PUBLIC",
        "0.0.0.0, UNSPECIFIED",
        "0.1.2.3, UNSPECIFIED",
        "10.0.0.1, PRIVATE",
        "100.100.100.200, METADATA",
        "fd00:ec2::254, METADATA",
        "fd20:ce::254, METADATA",
        "10.255.255.255, PRIVATE",
        "172.16.0.1, PRIVATE",
        "172.31.255.255, PRIVATE",
        "192.168.1.1, PRIVATE",
        "100.64.0.1, SHARED",
        "100.127.255.255, SHARED",
        "127.0.0.1, LOOPBACK",
        "127.255.255.254, LOOPBACK",
        "169.254.169.254, LINK_LOCAL",
        "169.254.0.1, LINK_LOCAL",
        "168.63.129.16, METADATA",
        "192.0.0.192, RESERVED",
        "192.0.2.1, DOCUMENTATION",
        "192.88.99.1, RESERVED",
        "198.18.0.1, DOCUMENTATION",
        "198.19.255.255, DOCUMENTATION",
        "198.51.100.7, DOCUMENTATION",
        "203.0.113.9, DOCUMENTATION",
        "224.0.0.1, MULTICAST",
        "239.255.255.255, MULTICAST",
        "240.0.0.1, RESERVED",
        "255.255.255.255, RESERVED",
    })
    void classifiesIpv4(String address, AddressClass expected) {
        assertThat(AddressClass.of(InetLiteral.bytes(address))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "2606:50c0:8000::153, PUBLIC",
        "2a00:1450:4001::200e, PUBLIC",
        "2001:4860:4860::8888, PUBLIC",
        "::, UNSPECIFIED",
        "::1, LOOPBACK",
        "::2, EMBEDDED",
        "::7f00:1, EMBEDDED",
        "::ffff:7f00:1, EMBEDDED",
        "::ffff:8c52:7903, EMBEDDED",
        "::ffff:0:7f00:1, EMBEDDED",
        "64:ff9b::a00:1, EMBEDDED",
        "64:ff9b:1::a00:1, EMBEDDED",
        "64:ff9c::1, RESERVED",
        "100::1, RESERVED",
        "2001::1, EMBEDDED",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2, EMBEDDED",
        "2001:2::1, DOCUMENTATION",
        "2001:10::1, RESERVED",
        "2001:20::1, RESERVED",
        "2001:1ff::1, RESERVED",
        "2001:200::1, PUBLIC",
        "2001:db8::1, DOCUMENTATION",
        "2002:7f00:1::1, EMBEDDED",
        "2002:a9fe:a9fe::1, EMBEDDED",
        "2a00:1:2:3:0:5efe:a00:1, EMBEDDED",
        "2a00:1:2:3:200:5efe:a00:1, EMBEDDED",
        "3fff::1, DOCUMENTATION",
        "4000::1, RESERVED",
        "5f00::1, RESERVED",
        "fc00::1, PRIVATE",
        "fe80::1, LINK_LOCAL",
        "fec0::1, PRIVATE",
        "ff02::1, MULTICAST",
    })
    void classifiesIpv6(String address, AddressClass expected) {
        assertThat(AddressClass.of(InetLiteral.bytes(address))).isEqualTo(expected);
    }
}
