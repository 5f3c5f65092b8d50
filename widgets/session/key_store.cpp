// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/key_store.h"
#include <QObject>
#include <cstring>
#include <qt6keychain/keychain.h>

namespace ww::widgets {

namespace {

constexpr const char* group = "warpwright";

QString sentence(const QKeychain::Job& job) {
  switch (job.error()) {
    case QKeychain::NoError: return {};
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented: return QObject::tr("There is no keychain service on this machine.");
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser: return QObject::tr("The keychain denied access.");
    default:
      return job.errorString().isEmpty()
                 ? QObject::tr("No keychain service answers on this machine.")
                 : QObject::tr("No keychain service answers on this machine (%1).").arg(job.errorString());
  }
}

// Keys pass through Qt's strings on their way to the keychain's service; what is ours of that is wiped, and dumps are
// off before the first one.
class SystemKeyStore : public KeyStore {
 public:
  void read(const QString& service, Read done) override {
    forbid_dumps();
    auto* job = new QKeychain::ReadPasswordJob(group, &owner_);
    job->setKey(service);
    QObject::connect(job, &QKeychain::Job::finished, &owner_, [job, done = std::move(done)] {
      if (job->error() == QKeychain::EntryNotFound) return done(std::nullopt, {});
      if (job->error() != QKeychain::NoError) return done(std::nullopt, sentence(*job));
      QByteArray bytes = job->binaryData();
      const Secret key(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
      explicit_bzero(bytes.data(), static_cast<std::size_t>(bytes.size()));
      done(key, {});
    });
    job->start();
  }
  void write(const QString& service, const Secret& key, Done done) override {
    forbid_dumps();
    auto* job = new QKeychain::WritePasswordJob(group, &owner_);
    job->setKey(service);
    job->setTextData(QString::fromUtf8(key.reveal().data(), static_cast<qsizetype>(key.reveal().size())));
    QObject::connect(job, &QKeychain::Job::finished, &owner_, [job, done = std::move(done)] { done(sentence(*job)); });
    job->start();
  }
  void remove(const QString& service, Done done) override {
    auto* job = new QKeychain::DeletePasswordJob(group, &owner_);
    job->setKey(service);
    QObject::connect(job, &QKeychain::Job::finished, &owner_, [job, done = std::move(done)] {
      done(job->error() == QKeychain::EntryNotFound ? QString() : sentence(*job));
    });
    job->start();
  }

 private:
  QObject owner_;  // of the jobs in progress
};

}  // namespace

std::shared_ptr<KeyStore> make_system_key_store() { return std::make_shared<SystemKeyStore>(); }

}  // namespace ww::widgets
