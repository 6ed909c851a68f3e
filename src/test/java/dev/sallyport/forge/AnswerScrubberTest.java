package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.forge.AnswerScrubber.Scrubbed;
import dev.sallyport.policy.RepoName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerScrubberTest {
    private static final String API = "https://api.github.com/repos/";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<String> learned = new ArrayList<>();

    private final Learner learner =
            new Learner() {
                @Override
                public void repository(RepoName repo, long id) {
                    learned.add(repo + " is " + id);
                }

                @Override
                public void pull(RepoName repo, long number, Optional<PullHead> head) {
                    learned.add(
                            repo
                                    + " pull "
                                    + number
                                    + head.map(h -> " from " + h.repo() + " " + h.branch())
                                            .orElse(" from nowhere"));
                }

                @Override
                public void comment(RepoName repo, long comment, long pull) {
                    learned.add(repo + " comment " + comment + " of " + pull);
                }

                @Override
                public void node(String nodeId, String type, RepoName repo) {
                    learned.add(repo + " " + type + " " + nodeId);
                }
            };

    private Scrubbed scrub(String json) {
        return RestRig.scrubber(RestRig.APP::equals, learner)
                .scrub(json.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode clean(String json) throws IOException {
        Scrubbed scrubbed = scrub(json);
        assertThat(scrubbed).isInstanceOf(Scrubbed.Clean.class);
        return JSON.readTree(((Scrubbed.Clean) scrubbed).json());
    }

    private static String quoted(String json) {
        return json.replace('\'', '"');
    }

    @Test
    void keepsWhatIsGranted() throws IOException {
        String json =
                quoted(
                        "{'id':1,'full_name':'acme/app','name':'app','size':1.50,'private':true,"
                                + "'topics':['a',null,3],'url':'"
                                + API
                                + "acme/app','branches_url':'"
                                + API
                                + "acme/app/branches{/branch}'}");
        assertThat(clean(json)).isEqualTo(JSON.readTree(json));
        assertThat(learned).containsExactly("github.com/acme/app is 1");
    }

    @Test
    void aCommentOnALineSaysWhichPullRequestItIsOf() throws IOException {
        String comment = "{'id':%d,'url':'%s','pull_request_url':'%s'}";
        String here = API + "acme/app/pulls/";
        clean(
                quoted(
                        "["
                                + String.join(
                                        ",",
                                        comment.formatted(7, here + "comments/7", here + "4"),
                                        comment.formatted(
                                                8, here + "comments/8", API + "acme/other/pulls/4"),
                                        comment.formatted(9, here + "comments/10", here + "4"),
                                        comment.formatted(11, here + "comments/11", here + "4/x"))
                                + "]"));
        assertThat(learned).containsExactly("github.com/acme/app comment 7 of 4");
    }

    @Test
    void credentialsAreTakenOut() throws IOException {
        JsonNode clean =
                clean(
                        quoted(
                                "{'temp_clone_token':'AABBCC','download_url':"
                                        + "'https://raw.githubusercontent.com/acme/app/main/x?token=T0',"
                                        + "'archive_url':'https://store.example/x?se=1&sig=S0&sp=r',"
                                        + "'logs_url':'"
                                        + API
                                        + "acme/app/actions/runs/1/logs',"
                                        + "'html_url':'https://github.com/acme/app?tab=readme',"
                                        + "'_links':{'self':{'href':'https://x.example/?jwt=J0'}},"
                                        + "'permissions':{'admin':true,'push':true,'pull':true},"
                                        + "'security_and_analysis':{'a':{'status':'enabled'}}}"));
        assertThat(clean.toString()).doesNotContain("AABBCC", "T0", "S0", "J0", "enabled");
        assertThat(clean.path("temp_clone_token").textValue()).isEmpty();
        assertThat(clean.path("download_url").textValue())
                .isEqualTo("https://raw.githubusercontent.com/acme/app/main/x");
        assertThat(clean.path("logs_url").textValue()).endsWith("/runs/1/logs");
        assertThat(clean.path("html_url").textValue()).endsWith("?tab=readme");
        assertThat(clean.at("/permissions/admin").booleanValue()).isFalse();
        assertThat(clean.at("/permissions/pull").booleanValue()).isTrue();
    }

    /// A client fails when a member is missing, so that only its value goes.
    @Test
    void g23_aForeignRepositoryIsEmptied() throws IOException {
        JsonNode clean =
                clean(
                        quoted(
                                "{'number':5,'url':'"
                                        + API
                                        + "Acme/App/pulls/5','node_id':'PR_1','head':{'ref':'fix',"
                                        + "'repo':{'id':9,'name':'secret','owner':{'login':'stranger'},"
                                        + "'full_name':'stranger/secret','private':true,'topics':['t'],"
                                        + "'license':null,'description':'hidden words'}},"
                                        + "'base':{'ref':'main','repo':{'full_name':'acme/app'}}}"));
        assertThat(clean.toString()).doesNotContain("stranger", "secret", "hidden", "\"t\"");
        assertThat(clean.at("/head/repo").toString())
                .isEqualTo(
                        quoted(
                                "{'id':0,'name':'','owner':{'login':''},'full_name':'',"
                                        + "'private':false,'topics':[],'license':null,'description':''}"));
        assertThat(clean.at("/base/repo/full_name").textValue()).isEqualTo("acme/app");
        assertThat(learned)
                .containsExactly(
                        "github.com/acme/app pull 5 from github.com/stranger/secret refs/heads/fix",
                        "github.com/acme/app PullRequest PR_1");
    }

    @Test
    void g23_foreignElementsAreLeftOut() throws IOException {
        JsonNode clean =
                clean(
                        quoted(
                                "{'total_count':3,'items':["
                                        + "{'title':'own','repository_url':'"
                                        + API
                                        + "acme/app','labels':[{'name':'x'}]},"
                                        + "{'title':'foreign','repository_url':'"
                                        + API
                                        + "acme/other','user':{'login':'u'},'list':[{'a':{}},[]]},"
                                        + "{'title':'by number','url':'https://api.github.com/repositories/7/x'},"
                                        + "{'title':'last','url':'"
                                        + API
                                        + "acme/app/issues/6','number':6,'node_id':'I_6'}]}"));
        assertThat(clean.at("/items")).hasSize(2);
        assertThat(clean.toString()).contains("own", "last").doesNotContain("foreign", "number'");
        assertThat(learned).containsExactly("github.com/acme/app Issue I_6");
    }

    @Test
    void g23_anAddressOfAnotherRepositoryIsEmptied() throws IOException {
        JsonNode clean =
                clean(
                        quoted(
                                "{'parent_issue_url':'"
                                        + API
                                        + "acme/secret/issues/1','comments_url':'"
                                        + API
                                        + "acme/app/issues/1/comments'}"));
        assertThat(clean.toString()).doesNotContain("secret").contains("comments");
    }

    /// A name that was given up can be taken by somebody else.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'id':1,'full_name':'acme/renamed'}",
                "{'full_name':'Acme/App','url':'https://api.github.com/repos/mallory/app'}",
                "{'message':'Moved Permanently','url':'https://api.github.com/repositories/7'}",
                "{'number':1,'url':'https://api.github.com/repos/acme/renamed/pulls/1'}",
                "{'full_name':'nonsense'}"
            })
    void g23_aRenamedRepositoryIsNotThere(String json) {
        assertThat(scrub(quoted(json))).isInstanceOf(Scrubbed.Foreign.class);
        assertThat(learned).isEmpty();
    }

    @Test
    void g23_anAnswerAboutAnotherGrantedRepositoryIsNotWhatWasAsked() {
        Scrubbed scrubbed =
                RestRig.scrubber(_ -> true, learner)
                        .scrub("{\"full_name\":\"acme/lib\"}".getBytes(StandardCharsets.UTF_8));
        assertThat(scrubbed).isInstanceOf(Scrubbed.Foreign.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{} {}",
                "{'a':1,'a':2}",
                "{'full_name':'acme/app','full_name':'acme/other'}",
                "nonsense",
                "{'a':}"
            })
    void whatIsNoJsonIsNotPassedOn(String json) {
        assertThat(scrub(quoted(json))).isInstanceOf(Scrubbed.Unfit.class);
        assertThat(learned).isEmpty();
    }

    @Test
    void depthAndSizeAreBounded() {
        assertThat(scrub("[".repeat(50) + "]".repeat(50))).isInstanceOf(Scrubbed.Unfit.class);
        byte[] large = new byte[AnswerScrubber.BYTES_MAX + 1];
        assertThat(RestRig.scrubber(_ -> true, learner).scrub(large))
                .isInstanceOf(Scrubbed.Unfit.class);
    }

    @Test
    void learnsNothingFromAddressesThatOnlyLookLikeIt() throws IOException {
        clean(
                quoted(
                        "[{'number':5,'node_id':'PR_1','head':{'ref':'agent/x','repo':"
                                + "{'full_name':'acme/app'}},'url':'https://evil.example/repos/acme/app/pulls/5'},"
                                + "{'number':6,'node_id':'PR_2','url':'"
                                + API
                                + "acme/app/pulls/7','head':{'ref':'agent/x','repo':null}}]"));
        assertThat(learned).isEmpty();
    }
}
