// SPDX-License-Identifier: Apache-2.0
// Who signs: keys and their passphrases, names and those that look like them, keys that a person knows.
#include <QtTest>
#include <sys/stat.h>
#include "base/files.h"
#include "base/hash.h"
#include "review/fingerprint.h"
#include "review/known_keys.h"
#include "review/people.h"
#include "review/review_world.h"
#include "store/workspace.h"

using namespace review_world;

class KeysTest : public QObject, review_world::Signers {
  Q_OBJECT

 private slots:
  void keysAreGuarded() {
    const fs::path file = path("guarded") / "signing.key";
    const Signer made = Signer::open(file).value();
    struct stat facts {};
    QVERIFY(::stat(file.c_str(), &facts) == 0);
    QCOMPARE(facts.st_mode & 0777, mode_t{0600});
    QCOMPARE(Signer::open(file)->public_key(), made.public_key());
    const std::string signature = made.sign("hello");
    QVERIFY(signature_fits(made.public_key(), "hello", signature) &&
            !signature_fits(made.public_key(), "hallo", signature));
    QVERIFY(!signature_fits(made.public_key(), "hello", signature.substr(1)) &&
            !signature_fits("", "hello", signature) && !signature_fits(made.public_key(), "hello", ""));
    std::string upper = signature;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    QVERIFY(upper == signature || !signature_fits(made.public_key(), "hello", upper));
    QCOMPARE(fingerprint(made.public_key()).size(), std::size_t{19});
    const std::string text = read_file(file).value();
    fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
    const auto open_to_all = Signer::open(file);
    QVERIFY(!open_to_all && open_to_all.error().message.find("read by others") != std::string::npos);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    for (const std::string& bad :
         {std::string(), text.substr(1), text + "x", replaced(text, text.substr(30, 1), "g")}) {
      QVERIFY(write_file_atomic(file, bad));
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
      const auto damaged = Signer::open(file);
      QVERIFY(!damaged && damaged.error().code == Code::corrupt);
      QCOMPARE(read_file(file).value(), bad);  // nothing is overwritten
    }
    const fs::path link = path("guarded") / "link.key";
    fs::create_symlink(file, link);
    QVERIFY(!Signer::open(link));
    QVERIFY(!Signer::open("/proc/nowhere/signing.key"));
  }

  void aPassphraseSealsTheKey() {
    const fs::path file = path("sealed") / "signing.key", words = path("passphrase");
    const Signer plain = Signer::open(file).value();
    QCOMPARE(*Signer::own_key(file), plain.public_key());
    QVERIFY(Signer::own_key(path("nowhere"))->empty() && !fs::exists(path("nowhere")));
    QVERIFY(plain.seal(Secret("correct horse"), file));
    QVERIFY(read_file(file)->find(plain.public_key()) != std::string::npos);
    QCOMPARE(*Signer::own_key(file), plain.public_key());  // needs no passphrase
    const auto silent = Signer::open(file);
    QVERIFY(!silent && silent.error().code == Code::unavailable);
    const auto with = [&](const char* passphrase) {
      return Signer::open(file, [=](const fs::path&) -> Result<Secret> { return Secret(passphrase); });
    };
    const auto wrong = with("wrong horse");
    QVERIFY(!wrong && wrong.error().message.find("wrong") != std::string::npos);
    QCOMPARE(with("correct horse")->public_key(), plain.public_key());
    QVERIFY(signature_fits(plain.public_key(), "hello", with("correct horse")->sign("hello")));
    QVERIFY(write_file_atomic(words, "correct horse\nmore"));
    qputenv("WARPWRIGHT_KEY_PASSPHRASE_FILE", words.c_str());
    const auto from_file = Signer::open(file);
    qunsetenv("WARPWRIGHT_KEY_PASSPHRASE_FILE");
    QCOMPARE(from_file->public_key(), plain.public_key());
    const std::string text = read_file(file).value();
    for (const std::string& bad : {text.substr(0, text.size() - 1), text + "x", replaced(text, "\n", " ")}) {
      QVERIFY(write_file_atomic(file, bad));
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
      QVERIFY(!with("correct horse") && !Signer::own_key(file));
    }
    QVERIFY(from_file->seal({}, file));
    QCOMPARE(Signer::open(file)->public_key(), plain.public_key());
  }

  void namesAreNormalisedAndCompared() {
    QCOMPARE(normal_name("  Ada \t Lovelace\u00a0"), std::string("Ada Lovelace"));
    QCOMPARE(normal_name("Rene\u0301e\u200b\u202e"), std::string("Renée"));
    QCOMPARE(normal_name("\u200b \u202e"), std::string());
    for (const char* name : {"ada", "Ada ", "A d a", "Аda", "ADА", "Ａｄａ", "Ádá", "A\u0301da", "Ada\u200b", "A.da"})
      QCOMPARE(name_shape(name), name_shape("Ada"));
    QCOMPARE(name_shape("Вob"), name_shape("Bob"));
    QCOMPARE(name_shape("Ιvan"), name_shape("lvan").replace(0, 1, "i"));
    QVERIFY(name_shape("Ada") != name_shape("Eda") && name_shape("漢字") != name_shape("漢語"));
  }

  void keysChangedByTwoAtOnceAreBothChanged() {
    qputenv("WARPWRIGHT_CONFIG", fresh().c_str());
    const fs::path file = path("twice") / "known_keys.json";
    KnownKeys first = KnownKeys::load(file).value();
    QVERIFY(first.trust("Ada", std::string(64, 'a'), "", false));
    KnownKeys second = KnownKeys::load(file).value();
    QVERIFY(first.revoke("Ada", "stolen"));
    QVERIFY(second.trust("Bob", std::string(64, 'b'), "", false));  // it was read before
    const KnownKeys now = KnownKeys::load(file).value();
    QCOMPARE(now.keys().size(), std::size_t{2});
    QVERIFY(!now.keys()[0].revoked.empty() && now.keys()[1].name == "Bob");
  }

  void fingerprintsAreWordsAndAPicture() {
    const std::string a(64, 'a'), b(64, 'b');
    const std::string words = fingerprint_words(a).value();
    QCOMPARE(std::count(words.begin(), words.end(), ' '), std::ptrdiff_t{7});
    QVERIFY(words == *fingerprint_words(a) && words != *fingerprint_words(b));
    const std::string drawn = picture_text(key_picture(a));
    QCOMPARE(std::count(drawn.begin(), drawn.end(), '\n'), std::ptrdiff_t{11});
    QVERIFY(drawn.find('S') != std::string::npos && drawn != picture_text(key_picture(b)));
  }

  void knownUnknownAndRevokedKeysAreToldApart() {
    qputenv("WARPWRIGHT_CONFIG", fresh().c_str());
    const fs::path file = path("known") / "known_keys.json";
    const auto keys = [&] { return KnownKeys::load(file).value(); };
    const auto of = [&](const std::vector<Signature>& signatures) {
      Verification v;
      v.signatures = signatures;
      return keys().standing(v);
    };
    const std::string ada(64, 'a'), bob(64, 'b'), eve(64, 'e');
    const auto by = [](const char* name, const std::string& key) {
      return Signature{store::ReviewKind::accepted, name, "2026-11-22", key, true};
    };
    QVERIFY(keys().keys().empty() && of({by("Ada", ada)})[0].standing == KeyStanding::unknown);
    QVERIFY(worst_of({}) == KeyStanding::unknown);
    KnownKeys known = keys();
    QVERIFY(known.trust(" Ada ", ada, "Grace", false));
    QVERIFY(!known.trust("Ada", ada, "", false) && !known.trust("Bob", "b", "", false) &&
            !known.trust(" ", bob, "", false));
    QVERIFY(!known.trust("Аda", eve, "", false) && known.trust("Bob", bob, "", false));  // Cyrillic
    QCOMPARE(keys().keys().size(), std::size_t{2});
    QVERIFY(keys().keys()[0].name == "Ada" && keys().keys()[0].vouched_by == "Grace" &&
            keys().keys()[0].since.size() == 10);
    const auto good = of({by("Ada", ada), by("Bob", bob)});
    QVERIFY(worst_of(good) == KeyStanding::known && good[0].warnings.empty() && good[1].warnings.empty());
    const auto other = of({by("Bob", ada)});
    QVERIFY(other[0].standing == KeyStanding::other_name && other[0].warnings.size() == 2);
    const auto alike = of({by("Аda", eve)});
    QVERIFY(alike[0].standing == KeyStanding::unknown && alike[0].warnings.size() == 1 &&
            alike[0].warnings[0].find("looks like 'Ada'") != std::string::npos);
    const auto twice = of({by("Ada", ada), by("ada", ada)});
    QVERIFY(twice[0].standing == KeyStanding::known && twice[1].standing == KeyStanding::repeated);
    QVERIFY(!known.trust("Bobby", bob, "", false) && known.trust("Bobby", bob, "", true));  // a typing mistake
    QVERIFY(keys().keys().size() == 2 && of({by("Bobby", bob)})[0].standing == KeyStanding::known);
    QVERIFY(known.trust("Bob", bob, "", true) && known.may_sign(ada));
    QVERIFY(!known.revoke("Eve", "") && known.revoke("Ada", "stolen") && !known.revoke("Ada", "again"));
    const auto gone = of({by("Bob", bob), by("Ada", ada)});
    QVERIFY(worst_of(gone) == KeyStanding::revoked && gone[1].warnings.back().find("stolen") != std::string::npos);
    QVERIFY(!known.trust("Ada", ada, "", true));  // it stays revoked
    QVERIFY(!known.may_sign(ada) && known.may_sign(ada).error().message.find("stolen") != std::string::npos);
    QVERIFY(known.trust("Ada", eve, "", false));
    const Signer own = Signer::open().value();
    QVERIFY(of({by("Me", own.public_key())})[0].standing == KeyStanding::known);
    const auto again = known.revoke(ada, "");
    QVERIFY(!again && again.error().message.find("was revoked on") != std::string::npos);
    const auto entry = [](const std::string& revoked) {
      const std::string key(64, 'a');
      return "{\"name\": \"x\", \"public_key\": \"" + key + "\", \"revoked\": \"" + revoked + "\"}";
    };
    const std::string same_key_again = "{\"keys\":[" + entry("") + "," + entry("2026-01-01") + "]}";
    const auto with = [&](const std::string& last) {
      return "{\"keys\":[{\"name\":\"x\",\"public_key\":\"" + ada + "\",\"since\":\"\"," + last + "}]}";
    };
    const std::string misspelt = with("\"revked\":\"2026-01-01\""), emptied = with("\"revoked\":\"\"");
    for (const char* bad : {misspelt.c_str(), emptied.c_str(), "{", "[]",
                            R"({"keys":[{"name":"x","public_key":"short","since":""}]})", same_key_again.c_str()}) {
      QVERIFY(write_file_atomic(file, bad));
      QVERIFY2(!KnownKeys::load(file), bad);
    }
    qunsetenv("WARPWRIGHT_CONFIG");
  }

  void anEarlierKeyOfOnesOwnStaysOnesOwn() {
    qputenv("WARPWRIGHT_CONFIG", fresh().c_str());
    QVERIFY(Signer::set_aside()->empty() && Signer::earlier_keys().empty() && !*Signer::sealed());
    const Signer first = Signer::open().value();
    QVERIFY(first.made() && !Signer::open()->made());
    QVERIFY(first.seal(Secret("correct horse")) && *Signer::sealed());
    const fs::path kept = Signer::set_aside().value();
    QVERIFY(fs::exists(kept) && Signer::own_key()->empty());
    const Signer second = Signer::open().value();
    QVERIFY(second.made() && second.public_key() != first.public_key());
    const auto standing = [](const std::string& key, const std::string& created) {
      Verification v;
      v.signatures = {{store::ReviewKind::accepted, "Me", created, key, true}};
      return KnownKeys::load()->standing(v)[0];
    };
    QCOMPARE(KnownKeys::load()->earlier_keys().size(), std::size_t{1});
    const std::string until = KnownKeys::load()->earlier_keys()[0].until;
    QCOMPARE(until.size(), std::size_t{10});
    const SignatureStanding now = standing(second.public_key(), "2026-01-01"),
                            then = standing(first.public_key(), "2026-01-01");
    QVERIFY(now.standing == KeyStanding::known && standing_text(now) == "yours");
    QVERIFY(then.standing == KeyStanding::known && then.warnings.empty());
    QCOMPARE(standing_text(then), "yours, until " + until);
    QCOMPARE(standing(first.public_key(), "9999-01-01").warnings.size(), std::size_t{1});  // used after it was replaced
    QVERIFY(standing(std::string(64, 'a'), "2026-01-01").standing == KeyStanding::unknown);
    // Its name holds it: a file with another key's name, or that others may read, counts for nothing.
    const fs::path other = kept.string().substr(0, kept.string().size() - 16) + std::string(16, '0');
    fs::copy_file(kept, other);
    QCOMPARE(Signer::earlier_keys().size(), std::size_t{1});
    fs::permissions(kept, fs::perms::others_read, fs::perm_options::add);
    QVERIFY(Signer::earlier_keys().empty());
    fs::permissions(kept, fs::perms::owner_read | fs::perms::owner_write);
    // As versions before named it: without a date.
    fs::rename(kept, kept.parent_path() / ("signing.key." + first.public_key().substr(0, 16)));
    QCOMPARE(standing_text(standing(first.public_key(), "2026-01-01")), std::string("an earlier one of yours"));
    // One's own keys can be revoked, too, without an entry.
    QVERIFY(KnownKeys::load()->revoke(fingerprint(first.public_key()), "copied"));
    QVERIFY(standing(first.public_key(), "2026-01-01").standing == KeyStanding::revoked);
    QVERIFY(standing(second.public_key(), "2026-01-01").standing == KeyStanding::known);
    qunsetenv("WARPWRIGHT_CONFIG");
  }

  void keysAreRevokedByTheFirstDigits() {
    qputenv("WARPWRIGHT_CONFIG", fresh().c_str());
    const fs::path file = path("prefix") / "known_keys.json";
    KnownKeys known = KnownKeys::load(file).value();
    // Keys whose fingerprints begin with the same four digits.
    std::map<std::string, std::string> seen;
    std::string one, two;
    for (int i = 0; two.empty(); ++i) {
      const std::string key = hash_hex(std::to_string(i)), digits = fingerprint(key).substr(0, 4);
      const auto [at, is_new] = seen.emplace(digits, key);
      if (!is_new) one = at->second, two = key;
    }
    QVERIFY(known.trust("Ada", one, "", false) && known.trust("Bob", two, "", false));
    const std::string digits = fingerprint(one).substr(0, 4);
    const auto both = known.revoke(digits, "");
    QVERIFY(!both && both.error().code == Code::invalid_argument);
    for (const std::string& part : {std::string("Ada ("), std::string("Bob ("), fingerprint(one), fingerprint(two)})
      QVERIFY2(both.error().message.find(part) != std::string::npos, both.error().message.c_str());
    const auto short_one = known.revoke(fingerprint(one).substr(0, 3), "");
    QVERIFY(!short_one && short_one.error().code == Code::not_found);
    std::string longer = fingerprint(one).substr(0, 9);
    for (char& c : longer) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto gone = known.revoke(longer, "lost");
    QVERIFY(gone && gone->name == "Ada");
    const auto other = known.revoke(digits, "");  // the only one left
    QVERIFY(other && other->name == "Bob");
    qunsetenv("WARPWRIGHT_CONFIG");
  }

  void aCountersignatureNeedsAnotherPerson() {
    auto w = opened(fresh());
    const Made m = fill(*w);
    const std::string one = accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt;
    for (const char* name : {"ada", "Ada ", "Аda", "A da"})
      QVERIFY2(!countersign(nullptr, one, name, signer("bob.key")), name);
    const auto same_key = countersign(nullptr, one, "Bob", signer());
    QVERIFY(!same_key && same_key.error().message.find("another person's key") != std::string::npos);
    const std::string two = countersign(nullptr, one, "  Bob  B. ", signer("bob.key")).value();
    QCOMPARE(verify(two).signatures[1].reviewer, std::string("Bob B."));
    QCOMPARE(*kernel_of(two), kernel_of(one).value());
    QVERIFY(kernel_of(one)->starts_with("//@ candidate scale") && !kernel_of(replaced(one, "opened", "closed")));
  }
};

QTEST_APPLESS_MAIN(KeysTest)
#include "keys_test.moc"
