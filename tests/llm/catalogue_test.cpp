// SPDX-License-Identifier: Apache-2.0
// Services, models and prices from the two files; keys out of the environment; what is said when something is missing.
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>
#include "base/files.h"
#include "llm/catalogue.h"
#include "llm/consent.h"
#include "llm/providers.h"

using namespace ww;
using namespace ww::llm;

namespace {

std::string q(std::string text) {  // JSON with ' for "
  for (char& c : text)
    if (c == '\'') c = '"';
  return text;
}

const std::string shipped = q(
    "{\n"
    "  'schema': 'warpwright-models/1',\n"
    "  'presets': [\n"
    "    {'name': 'cloud', 'title': 'Cloud', 'provider': 'openai', 'dialect': 'responses', 'base_url': "
    "'https://api.cloud.test/v1/', 'key_variable': 'CLOUD_TEST_KEY', 'schemas': true, 'effort': true},\n"
    "    {'name': 'cloud-chat', 'title': 'Cloud', 'provider': 'openai', 'dialect': 'chat', 'base_url': "
    "'https://api.cloud.test/v1', 'key_variable': 'CLOUD_TEST_KEY'},\n"
    "    {'name': 'own', 'title': 'Own', 'provider': 'openai', 'dialect': 'chat', 'base_url': '', 'url_variable': "
    "'OWN_TEST_URL', 'key_variable': 'OWN_TEST_KEY'},\n"
    "    {'name': 'home', 'title': 'Home', 'provider': 'standin', 'base_url': 'http://127.0.0.1:1/v1', 'local': true}\n"
    "  ],\n"
    "  'models': [\n"
    "    {'preset': 'cloud', 'name': 'large', 'context': 1000, 'output': 100, 'reasoning': true, 'schemas': true, "
    "'temperature': false,\n"
    "     'price': {'prompt': 2, 'cached': 0.5, 'cache_written': 3, 'completion': 10, 'up_to': 500, 'source': "
    "'https://cloud.test/prices', 'date': '2026-10-01'}},\n"
    "    {'preset': 'cloud', 'name': 'lar*', 'context': 7},\n"
    "    {'preset': 'cloud', 'name': 'large-*', 'context': 8, 'price': {'prompt': 1, 'completion': 4, 'source': 's', "
    "'date': 'd'}},\n"
    "    {'preset': 'home', 'name': '*', 'free': true}\n"
    "  ]\n"
    "}");

class Standin final : public Provider {
 public:
  Result<Reply> complete(const Request&, Observer&, std::stop_token) override { return Reply(); }
  Result<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>{"a"}; }
};

Catalogue parsed(const std::string& own = {}) {
  Result<Catalogue> c = Catalogue::parse(shipped, own);
  if (!c) qFatal("%s", c.error().text().c_str());
  return *c;
}

std::string refusal(const std::string& own) {
  const Result<Catalogue> c = Catalogue::parse(shipped, own);
  return c ? std::string() : c.error().text();
}

std::string in_file(const std::string& presets, const std::string& models = "") {
  return "{\n  \"schema\": \"warpwright-models/1\",\n  \"presets\": [" + presets + "],\n  \"models\": [" + models +
         "]\n}\n";
}

bool has(const std::string& text, const std::string& what) {
  if (text.find(what) != std::string::npos) return true;
  qWarning("'%s' is not in: %s", what.c_str(), text.c_str());
  return false;
}

// What the kernel shows of the environment that this process was started with: its memory, read anew each time. Opened
// once, since nobody may open it any more after forbid_dumps().
std::string environment_block() {
  static const int fd = ::open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  std::string all;
  char buffer[4096];
  for (ssize_t n; (n = ::pread(fd, buffer, sizeof buffer, static_cast<off_t>(all.size()))) > 0;)
    all.append(buffer, static_cast<std::size_t>(n));
  return all;
}

}  // namespace

class CatalogueTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void namesAreSplitAtTheFirstColon() {
    using llm::ModelName;
    QCOMPARE(ModelName::read("ollama:qwen3-coder:30b"), (ModelName{"ollama", "qwen3-coder:30b"}));
    QCOMPARE(ModelName::read(":m"), (ModelName{"", "m"}));
    QCOMPARE(ModelName::read("openai:"), (ModelName{"openai", ""}));
    QVERIFY(!ModelName::read("openai") && !ModelName::read(""));
    for (const char* text : {"ollama:qwen3-coder:30b", ":", "a::b"})
      QCOMPARE(ModelName::read(text).value().text(), std::string(text));
  }
  void initTestCase() {
    // With the planted key in the block that the kernel made: only what a program was started with stands there.
    if (!std::getenv("CLOUD_TEST_KEY")) {
      ::setenv("CLOUD_TEST_KEY", "  sk-planted-0123456789abcdef\n", 1);
      ::setenv("WARPWRIGHT_KEY_HOME", "home-planted-0123456789", 1);
      ::setenv("WARPWRIGHT_KEY_PASSPHRASE_FILE", "/tmp/words", 1);  // no key: signing reads it
      ::execv("/proc/self/exe", arguments());
      qFatal("cannot start again");
    }
    ::setenv("WARPWRIGHT_PLUGINS", folder_.path().toStdString().c_str(), 1);
    ::setenv("WARPWRIGHT_CONFIG", folder_.path().toStdString().c_str(), 1);
    add_provider("standin", [](const Endpoint&) { return std::make_unique<Standin>(); });
  }

  void keysLeaveTheEnvironment() {
    const std::string planted = "sk-planted-0123456789abcdef";
    QVERIFY(environment_block().find(planted) != std::string::npos);
    const Catalogue c = parsed();
    QVERIFY(key_for(*c.preset("cloud")).empty());  // before: nothing reads the environment by itself
    take_keys(c);
    const Secret key = key_for(*c.preset("cloud"));
    QCOMPARE(key.reveal(), std::string_view(planted));                  // without the blanks around it
    QCOMPARE(key_for(*c.preset("cloud-chat")).reveal(), key.reveal());  // one variable, two presets
    QCOMPARE(key_for(*c.preset("home")).reveal(), std::string_view("home-planted-0123456789"));
    QVERIFY(!std::getenv("CLOUD_TEST_KEY") && !std::getenv("WARPWRIGHT_KEY_HOME"));
    QCOMPARE(std::string(std::getenv("WARPWRIGHT_KEY_PASSPHRASE_FILE")), std::string("/tmp/words"));
    for (char** at = environ; *at; ++at) QVERIFY(!std::strstr(*at, "planted"));
    QVERIFY(environment_block().size() > 20 && environment_block().find("planted") == std::string::npos);
    QCOMPARE(redact("the key is " + planted + "!"), std::string("the key is [key]!"));
    rlimit cores{1, 1};
    QCOMPARE(::getrlimit(RLIMIT_CORE, &cores), 0);
    QCOMPARE(cores.rlim_cur, rlim_t{0});
    take_keys(c);  // once more takes nothing away
    QVERIFY(!key_for(*c.preset("cloud")).empty());
    ::setenv("WARPWRIGHT_KEY_CLOUD_CHAT", "chat-planted-0123456789", 1);
    take_keys(c);
    QCOMPARE(key_for(*c.preset("cloud-chat")).reveal(),
             std::string_view("chat-planted-0123456789"));  // its own goes first
    QCOMPARE(key_for(*c.preset("cloud")).reveal(), key.reveal());
  }

  void aReaderIsAskedLast() {
    const Catalogue c = parsed();
    QVERIFY(key_for(*c.preset("own")).empty());
    add_key_reader([](const std::string& preset) -> std::optional<Secret> {
      return preset == "nobody" ? std::optional<Secret>() : Secret("from-the-keychain-" + preset);
    });
    QCOMPARE(key_for(*c.preset("own")).reveal(), std::string_view("from-the-keychain-own"));
    QVERIFY(key_for(*c.preset("cloud")).reveal().starts_with("sk-planted"));
  }

  void valuesOfHeadersAndQueryAreRedacted() {
    const std::string url = "\"provider\": \"openai\", \"dialect\": \"chat\", \"base_url\": \"https://a.test/v1\"";
    const Catalogue c = parsed(in_file("{\"name\": \"a\", " + url +
                                       ", \"headers\": {\"X-Team\": \"kernels\", \"X-Gate\": \"hdr-1f\", \"X-Secret\": "
                                       "\"open sesame\"}, \"query\": {\"api-version\": \"2026-11-01v2\", \"user\": "
                                       "\"q/7c0\"}}"));
    QCOMPARE(redact("kernels of 2026-11-01v2: hdr-1f, open sesame, ?user=q%2F7c0"),
             std::string("kernels of 2026-11-01v2: [key], [key], ?user=[key]"));
    const Model m = describe(c, "a:x").value();
    QCOMPARE(m.endpoint.secrets.size(), std::size_t{3});
  }

  void factsAreFound() {
    const Catalogue c = parsed();
    QCOMPARE(c.preset("cloud")->endpoint.base_url, std::string("https://api.cloud.test/v1"));
    QVERIFY(c.preset("cloud")->key_needed && !c.preset("home")->key_needed && !c.preset("gone"));
    QCOMPARE(c.facts("cloud", "large").context, std::int64_t{1000});  // its own name before any pattern
    QCOMPARE(c.facts("cloud", "large-2").context, std::int64_t{8});   // the longest pattern
    QCOMPARE(c.facts("cloud", "lark").context, std::int64_t{7});
    QCOMPARE(c.facts("cloud", "large-2").name, std::string("large-2"));
    const ModelFacts other = c.facts("cloud", "small");
    QVERIFY(!other.listed && !other.price && other.context == 0 && other.schemas && other.reasoning &&
            !other.temperature.has_value());
    QCOMPARE(c.facts("home", "anything:7b").temperature, std::optional<bool>(true));  // of a server on this machine
    QVERIFY(!c.facts("cloud-chat", "small").schemas);
    QVERIFY(c.facts("home", "anything:7b").price->free);
  }

  void theOwnFileGoesOver() {
    const Catalogue c =
        parsed(in_file(q("{'name': 'cloud', 'title': 'Ours', 'provider': 'openai', 'dialect': 'chat', 'base_url': "
                         "'https://proxy.test', 'attempts': 2, 'idle_seconds': 1.5,\n"
                         "      'headers': {'X-Team': 'kernels'}}, {'name': 'new', 'provider': 'anthropic', "
                         "'base_url': 'http://localhost:1'}"),
                       q("{'preset': 'cloud', 'name': 'large', 'free': true}, {'preset': 'new', 'name': 'n'}")));
    QCOMPARE(c.presets().size(), std::size_t{5});
    const Preset& p = *c.preset("cloud");
    QVERIFY(p.title == "Ours" && p.key_variable.empty() && !p.key_needed && p.endpoint.attempts == 2 &&
            p.endpoint.idle_timeout.count() == 1500);
    QCOMPARE(p.endpoint.headers.size(), std::size_t{1});
    QVERIFY(c.facts("cloud", "large").price->free && c.facts("cloud", "large").context == 0);
    QVERIFY(c.facts("cloud", "large-2").price && !c.facts("new", "n").price);
    QCOMPARE(parsed("// remarks are welcome\n" + in_file("")).presets().size(), std::size_t{4});
  }

  void errorsNameFileAndLine() {
    const std::string file = (folder_.path() + "/models.json:").toStdString();
    const std::string url = q("'provider': 'openai', 'dialect': 'chat', 'base_url': 'https://a.test'");
    const struct {
      std::string own;
      int line;
      const char* what;
    } wrong[] = {
        {"{\n  \"schema\": \"warpwright-models/1\",\n  \"presets\": [}\n", 3, "not JSON"},
        {"[1]", 1, "not one JSON object"},
        {"{}", 1, "'schema'"},
        {"{\"schema\": \"warpwright-models/9\"}", 1, "'schema'"},
        {in_file("\n    {\"name\": \"a\", " + url + "},\n    {\"name\": \"b\", " + url + ", \"dialects\": \"chat\"}"),
         5, "did you mean 'dialect'?"},
        {in_file("\n\n{\"name\": \"a\",\n" + url + ",\n \"key\": \"sk-1\"}"), 5, "keys are never read from files"},
        {in_file("{\"name\": \"a\", " + url + ", \"headers\": {\"Authorization\": \"Bearer x\"}}"), 3,
         "would hold a key"},
        {in_file("{\"name\": \"a\", " + url + ", \"query\": {\"key\": \"x\"}}"), 3, "would hold a key"},
        {in_file("{\"name\": \"a\", " + url + ", \"headers\": {\"X-A\": \"b\\nX-C: d\"}}"), 3,
         "a character that headers cannot have"},
        {in_file(q("{'name': 'a', 'provider': 'openai', 'dialect': 'chat', 'base_url': 'https://me:secret@a.test'}")),
         3, "keys are never read"},
        {in_file(q("{'name': 'a', 'provider': 'openai', 'dialect': 'chat', 'base_url': 'ftp://a.test'}")), 3,
         "https://"},
        {in_file(q("{'name': 'A b', 'provider': 'openai'}")), 3, "'name'"},
        {in_file(q("{'name': 'a', 'provider': 'openai', 'base_url': 'https://a.test'}")), 3, "'dialect'"},
        {in_file("{\"name\": \"a\", " + url + ", \"attempts\": 0}"), 3, "'attempts'"},
        {in_file("{\"name\": \"a\", " + url + ", \"seeds\": \"yes\"}"), 3, "neither true nor false"},
        {in_file("3"), 1, "not an object"},
        {in_file("", "\n{\"preset\": \"clout\", \"name\": \"x\"}"), 5, "no preset 'clout'"},
        {in_file("", q("{'preset': 'cloud', 'name': 'x', 'price': {'prompt': 1, 'completion': 2}}")), 4,
         "'source' or 'date'"},
        {in_file("", q("{'preset': 'cloud', 'name': 'x', 'price': {'prompt': -1, 'completion': 2, 'source': 's', "
                       "'date': 'd'}}")),
         4, "'prompt'"},
        {in_file("", q("{'preset': 'cloud', 'name': 'x', 'free': true, 'price': {'prompt': 1, 'completion': 2, "
                       "'source': 's', 'date': 'd'}}")),
         4, "free but has a price"},
        {in_file("", q("{'preset': 'cloud', 'name': 'x', 'context': 1.5}")), 4, "'context'"},
    };
    for (const auto& w : wrong) {
      const std::string said = refusal(w.own);
      QVERIFY2(has(said, file + std::to_string(w.line) + ": ") && has(said, w.what), said.c_str());
    }
    QVERIFY(refusal(in_file("{\"name\": \"a\", " + url + ", \"key\": \"sk-secret-thing\"}")).find("sk-secret-thing") ==
            std::string::npos);
  }

  void pricesAreFacts() {
    const Catalogue c = parsed();
    Usage u;
    u.prompt = 400, u.cached = 100, u.cache_written = 50, u.completion = 20;
    QCOMPARE(cost(c.facts("cloud", "large"), u).value(), (250 * 2 + 100 * 0.5 + 50 * 3 + 20 * 10) / 1e6);
    QCOMPARE(cost(c.facts("cloud", "large-2"), u).value(),
             (400 * 1 + 20 * 4) / 1e6);            // nothing said of caching: as any prompt
    QVERIFY(!cost(c.facts("cloud", "small"), u));  // unknown is not 0
    QCOMPARE(cost(c.facts("home", "x"), u).value(), 0.0);
    u.prompt = 501;
    QVERIFY(!cost(c.facts("cloud", "large"), u));  // beyond what the price is for
  }

  void resolveSaysWhatToDo() {
    const Catalogue c = parsed();
    const auto said = [&](const std::string& selection, Code code) {
      const Result<Model> m = resolve(c, selection);
      if (m || m.error().code != code) qWarning("%s: %s", selection.c_str(), m ? "resolved" : m.error().text().c_str());
      return m || m.error().code != code ? std::string() : m.error().text();
    };
    QVERIFY(has(said("clodu:large", Code::not_found), "did you mean 'cloud'?"));
    QVERIFY(has(said("nothing-like-it:large", Code::not_found), "cloud, cloud-chat, own, home"));
    QVERIFY(has(said("large", Code::not_found), "did you mean 'cloud:large'?"));
    QVERIFY(has(said("some-model", Code::not_found), "PRESET:MODEL"));
    QVERIFY(has(said("cloud", Code::invalid_argument), "models check cloud"));
    QVERIFY(has(said("cloud: ", Code::invalid_argument), "names no model"));
    QVERIFY(has(said("own:x", Code::unavailable), "OWN_TEST_URL"));
    QVERIFY(has(said("cloud:large", Code::not_found),
                "no provider 'openai'"));  // the plugins' folder of this test has none

    const Catalogue keyless =
        parsed(in_file(q("{'name': 'locked', 'provider': 'standin', 'base_url': 'https://locked.test', 'key_variable': "
                         "'LOCKED_TEST_KEY'},\n"
                         "      {'name': 'nobody', 'provider': 'standin', 'base_url': 'https://locked.test', "
                         "'key_variable': 'LOCKED_TEST_KEY'}")));
    const Result<Model> locked = resolve(keyless, "nobody:x");
    QVERIFY(!locked && locked.error().code == Code::unavailable);
    QVERIFY(has(locked.error().text(), "LOCKED_TEST_KEY") && has(locked.error().text(), "WARPWRIGHT_KEY_NOBODY"));
    const Catalogue plain =
        parsed(in_file(q("{'name': 'open', 'provider': 'standin', 'base_url': 'http://somewhere.test:80/v1', "
                         "'key_variable': 'OPEN_TEST_KEY'}")));
    const Result<Model> open = resolve(plain, "open:x");
    QVERIFY(!open && has(open.error().text(), "unencrypted"));

    const Result<Model> good = resolve(c, "home:qwen3-coder:30b");
    QVERIFY(good && good->provider && good->facts.name == "qwen3-coder:30b" && good->endpoint.preset == "home" &&
            !good->endpoint.key.empty());
    const Result<Model> described = describe(c, "cloud:large");
    QVERIFY(described && !described->provider && described->endpoint.key.empty() && described->facts.context == 1000 &&
            described->endpoint.effort);
    QVERIFY(!describe(c, "cloud:lark")->endpoint.effort);  // the listed model does not reason
  }

  void pluginsAreRefusedWithAReason() {
    QVERIFY(refused_providers().empty());
    QCOMPARE(list_providers(), std::vector<std::string>{"standin"});
    QDir(folder_.path()).mkpath("providers");
    const std::string folder = folder_.path().toStdString() + "/providers/";
    std::ofstream(folder + "libtorn.so") << "no module";
    std::error_code ec;
    std::filesystem::copy_file(OTHER_MODULE, folder + "libstranger.so", ec);
    QVERIFY(!ec);
    const std::vector<RefusedProvider> refused = refused_providers();
    QCOMPARE(refused.size(), std::size_t{2});
    QVERIFY(has(refused[0].reason, "it is not a provider") && has(refused[1].reason, "it cannot be loaded"));
    Endpoint e;
    for (const char* name : {"torn", "stranger", "absent"}) {
      e.provider = name;
      const auto made = make_provider(e);
      QVERIFY(!made && made.error().code == (e.provider == "absent" ? Code::not_found : Code::unavailable));
      QVERIFY(has(made.error().text(), name));
    }
    QCOMPARE(list_providers(), std::vector<std::string>{"standin"});
    std::filesystem::remove_all(folder);
  }

  void addressesFromTheEnvironment() {
    ::setenv("WARPWRIGHT_RESOURCES", WW_SOURCE_DIR "/resources", 1);
    ::setenv("AZURE_OPENAI_ENDPOINT", "https://ours.openai.azure.com/", 1);
    ::setenv("WARPWRIGHT_URL_OPENAI_CHAT", "http://127.0.0.1:9/v1/", 1);
    const Result<Catalogue> c = Catalogue::load();
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    QCOMPARE(c->preset("azure")->endpoint.base_url, std::string("https://ours.openai.azure.com/openai/v1"));
    QCOMPARE(c->preset("openai-chat")->endpoint.base_url, std::string("http://127.0.0.1:9/v1"));
    QCOMPARE(c->preset("openai")->endpoint.base_url, std::string("https://api.openai.com/v1"));
    ::setenv("WARPWRIGHT_URL_OPENAI_CHAT", "nowhere", 1);
    QVERIFY(!Catalogue::load() && has(Catalogue::load().error().text(), "WARPWRIGHT_URL_OPENAI_CHAT"));
    ::unsetenv("WARPWRIGHT_URL_OPENAI_CHAT");
    ::unsetenv("AZURE_OPENAI_ENDPOINT");
  }

  void theShippedCatalogueIsWhole() {
    const Result<std::string> text = read_file(WW_SOURCE_DIR "/resources/models/catalogue.json");
    QVERIFY(text.has_value());
    const Result<Catalogue> c = Catalogue::parse(*text, {});
    QVERIFY2(c.has_value(), c ? "" : c.error().text().c_str());
    for (const char* name : {"openai", "openai-chat", "azure", "openrouter", "anthropic", "vllm", "llamacpp",
                             "lmstudio", "ollama", "litellm"})
      QVERIFY2(c->preset(name), name);
    for (const Preset& p : c->presets()) {
      QVERIFY2(!p.title.empty() && !p.about.empty(), p.endpoint.preset.c_str());
      if (p.local)
        QVERIFY(is_this_machine(host_of(p.endpoint.base_url)) && !p.key_needed);
      else
        QVERIFY(p.endpoint.base_url.empty() || p.endpoint.base_url.starts_with("https://"));
    }
    for (const ModelFacts& f : c->models())
      if (f.price && !f.price->free)
        QVERIFY2(f.price->source.starts_with("https://") && f.price->date.size() == 10 &&
                     f.price->cached <= f.price->prompt && f.context > 0 && f.output > 0,
                 f.name.c_str());
    for (const auto& [selection, forwarded] : {std::pair("litellm:gpt", true),
                                               std::pair("ollama:GPT-OSS:120B-CLOUD", true),
                                               {"ollama:qwen3-coder:30b", false},
                                               {"ollama:gpt-oss:120b-cloud", true},
                                               {"ollama:kimi-k2:cloud", true},
                                               {"ollama:cloudy", false}})
      QCOMPARE(llm::describe(*c, selection)->forwarded, forwarded);
    QVERIFY(c->facts("ollama", "qwen3-coder:30b").price->free && !c->facts("litellm", "x").price &&
            !c->facts("openrouter", "x").price);
  }

  void aWrongOwnFileIsNoReasonToKeepKeysOut() {
    std::ofstream(folder_.path().toStdString() + "/models.json") << "{";
    ::setenv("OPENAI_API_KEY", "sk-planted-9876543210", 1);
    take_keys();
    QVERIFY(!std::getenv("OPENAI_API_KEY"));
    QVERIFY(!Catalogue::load());
    std::remove((folder_.path().toStdString() + "/models.json").c_str());
    QCOMPARE(key_for(*Catalogue::load()->preset("openai")).reveal(), std::string_view("sk-planted-9876543210"));
  }

 private:
  static char* const* arguments() {
    static std::vector<QByteArray> texts;
    static std::vector<char*> pointers;
    for (const QString& a : QCoreApplication::arguments()) texts.push_back(a.toLocal8Bit());
    for (QByteArray& t : texts) pointers.push_back(t.data());
    pointers.push_back(nullptr);
    return pointers.data();
  }
};

QTEST_GUILESS_MAIN(CatalogueTest)
#include "catalogue_test.moc"
