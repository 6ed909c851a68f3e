package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Preset;
import dev.sallyport.config.Presets;
import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// E16: what a model's host would fetch or run on a sandbox's behalf, in the bodies that clients
/// send. Quotation marks are written as apostrophes here.
final class PresetBodiesTest {
    /// The body as it goes up, or the rule that denies it.
    private static String judged(String preset, String body) throws Exception {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        JsonGate gate = JsonGate.of(permit(preset), JsonRoom.ofGateway(GatewayWork.directory()));
        try {
            gate.read(Unpooled.wrappedBuffer(bytes));
            byte[] kept = JsonGateTest.without(bytes, gate.finish());
            return new String(kept, StandardCharsets.UTF_8).replace('"', '\'');
        } catch (RefusedException e) {
            return "denied by " + e.getMessage();
        } finally {
            gate.release();
        }
    }

    private static EgressPermit permit(String name) throws Exception {
        Preset preset = Presets.find(name).orElseThrow();
        HostName host = HostName.parse(preset.rules().getFirst().host().toString());
        Policy policy =
                new Policy(SessionId.random(), List.of(), new Egress(preset.rules(), false));
        return switch (policy.decide(host, 443)) {
            case Decision.Allow(var allowed) -> allowed;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "anthropic|{'tools':[{'type':'web_search_20250305'}]}|**.tools[type=web_search*]",
                "anthropic|{'tools':[{'name':'f','type':'web_fetch_1'}]}|**.tools[type=web_fetch*]",
                "anthropic|{'Tools':[{'Type':'web_fetch_1'}]}|**.tools[type=web_fetch*]",
                "anthropic|{'tools':[{'type':'code_execution_2'}]}|**.tools[type=code_execution*]",
                "anthropic|{'tools':[{'type':'mcp_toolset'}]}|type=mcp_toolset*",
                "anthropic|{'messages':[{'content':[{'source':{'type':'url'}}]}]}|type=url",
                "anthropic|{'messages':[{'content':[{'Input':{'type':'url'}}]}]}|type=url",
                "anthropic|{'input':{'type':'url'}}|type=url",
                "anthropic|{'mcp_servers':[]}|mcp_servers=*",
                "anthropic+web-search|{'tools':[{'type':'web_fetch_1'}]}|**.tools[type=web_fetch*]",
                "openai|{'tools':[{'type':'mcp','server_url':'x'}]}|type=mcp*",
                "openai|{'input':[{'type':'additional_tools','tools':[{'type':'mcp'}]}]}|type=mcp*",
                "openai|{'tool_choice':{'type':'web_search'}}|type=web_search",
                "openai|{'x':[{'type':'web_search_preview_1'}]}|type=web_search_preview*",
                "anthropic|{'x':[{'type':'web_search_20250305'}]}|type=web_search_2*",
                "openai|{'tools':[{'type':'code_interpreter'}]}|type=code_interpreter*",
                "openai|{'tools':[{'type':'shell','e':{'type':'container_auto'}}]}|type=container_*",
                "openai|{'a':{'network_policy':1}}|network_policy=*",
                "openai|{'model':'gpt-4o-search-preview'}|model=*search*",
                "openai|{'model':'o3-deep-research'}|model=*search*",
                "openai|{'image_url':{'url':'https://a.example/?data'}}|url=*:/*",
                "openai|{'image_url':{'url':'HTTPS:a.example'}}|url=H*",
                "openai|{'input':[{'image_url':'https:a.example'}]}|image_url=h*",
                "openai|{'input':[{'image_url':' http:/a.example'}]}|image_url=*:/*",
                "openai|{'input':[{'file_url':'https://a.example/?data'}]}|file_url=*",
                "gemini|{'tools':[{'googleSearch':{}}]}|googleSearch=*",
                "google-login|{'request':{'tools':[{'googleSearch':{}}]}}|googleSearch=*",
                "google-login|{'contents':[{'parts':[{'functionCall':{'args':{'fileUri':'x'}}}]}]}|fileUri=*",
                "chatgpt|{'tools':[{'type':'mcp','server_url':'x'}]}|type=mcp*",
                "copilot|{'tools':[{'type':'mcp','server_url':'x'}]}|type=mcp*",
                "copilot|{'mcp_servers':[]}|mcp_servers=*",
                "copilot|{'tools':[{'type':'web_fetch_1'}]}|**.tools[type=web_fetch*]",
                "copilot|{'messages':[{'content':[{'image_url':{'url':'https://a.example/?data'}}]}]}|url=*:/*",
                "copilot|{'messages':[{'content':[{'source':{'type':'url'}}]}]}|type=url",
                "gemini|{'tools':[{'google_search':{}}]}|google_search=*",
                "gemini|{'tools':[{'urlContext':{}}]}|urlContext=*",
                "gemini|{'tools':[{'codeExecution':{}}]}|codeExecution=*",
                "gemini|{'contents':[{'parts':[{'fileData':{'fileUri':'x'}}]}]}|fileUri=*",
            })
    void e16DeniesWhatTheHostWouldDo(String preset, String body, String rule) throws Exception {
        assertThat(judged(preset, body)).isEqualTo("denied by " + rule);
    }

    /// What a client offers to every model is taken out, so that it works without it.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'tools':[{'type':'web_search'}]}|{'tools':[]}",
                "{'tools':[ {'type':'web_search'} , {'type':'function'}],'n':1}|{'tools':[  {'type':'function'}],'n':1}",
                "{'tools':[{'a':1},{'x':{'b':[2]},'type':'web_search_preview'},{'c':3}]}|{'tools':[{'a':1},{'c':3}]}",
                "{'tools':[{'type':'web_search'},{'type':'web_search'},{'c':3},{'type':'web_search'}]}|{'tools':[{'c':3}]}",
                "{'tools':[{'type':'web_search','filters':{'type':'container_x'}}]}|{'tools':[]}",
                "{'include':['web_search_call.results','reasoning.encrypted_content']}|{'include':['reasoning.encrypted_content']}",
                "{'web_search_options':{'a':{}},'model':'gpt-5'}|{'model':'gpt-5'}",
                "{'model':'gpt-5', 'web_search_options':null}|{'model':'gpt-5'}",
                "{'web_search_options':1}|{}",
                "{'input':[{'type':'additional_tools','tools':[{'type':'web_search'},{'a':1}]}]}|{'input':[{'type':'additional_tools','tools':[{'a':1}]}]}",
                "{'tools':[{'type':'namespace','tools':[{'a':1},{'type':'web_search'}]}]}|{'tools':[{'type':'namespace','tools':[{'a':1}]}]}",
            })
    void takesOutWhatTheApiDoesWithout(String body, String rest) throws Exception {
        assertThat(judged("openai", body)).isEqualTo(rest);
    }

    /// Data of the client's own, and what happened before, make no conversation unusable.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "anthropic|{'tools':[{'type':'bash_20250124'},{'name':'x','input_schema':{'type':'url'}}]}",
                "anthropic|{'messages':[{'content':[{'type':'tool_use','input':{'type':'url','mcp_servers':[]}}]}]}",
                "anthropic|{'messages':[{'content':[{'type':'web_search_tool_result','content':[]}]}]}",
                "anthropic|{'messages':[{'content':[{'source':{'type':'base64'}}]}]}",
                "anthropic+web-search|{'tools':[{'type':'web_search_20250305'}]}",
                "openai|{'tools':[{'type':'function','parameters':{'url':'http://x/','file_url':1}}]}",
                "openai|{'tools':[{'type':'local_shell'}],'model':'gpt-5'}",
                "openai|{'tools':[{'parameters':{'tools':[{'type':'web_search'}]}}]}",
                "anthropic|{'messages':[{'content':[{'input':{'tools':[{'type':'web_search_2'}]}}]}]}",
                "openai|{'input':[{'type':'web_search_call','action':{'url':'https://x/'}}]}",
                "openai|{'image_url':{'url':'data:image/png;base64'}}",
                "openai+web-search|{'tools':[{'type':'web_search'}],'include':['web_search_call']}",
                "gemini|{'contents':[{'parts':[{'functionCall':{'args':{'fileUri':'x'}}}]}]}",
                "gemini|{'tools':[{'functionDeclarations':[{'parameters':{'googleSearch':1}}]}]}",
                "gemini+web-search|{'tools':[{'googleSearch':{}}]}",
                "google-login|{'request':{'contents':[{'parts':[{'functionCall':{'args':{'fileUri':'x'}}}]}]}}",
                "google-login+web-search|{'request':{'tools':[{'googleSearch':{}}]}}",
                "chatgpt+web-search|{'tools':[{'type':'web_search'}]}",
                "copilot|{'messages':[{'content':[{'type':'tool_use','input':{'type':'url','url':'https://x/'}}]}]}",
                "copilot|{'tools':[{'function':{'parameters':{'url':'http://x/'}}},{'input_schema':{'file_url':1}}]}",
            })
    void passesTheRest(String preset, String body) throws Exception {
        assertThat(judged(preset, body)).isEqualTo(body);
    }
}
