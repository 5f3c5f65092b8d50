// SPDX-License-Identifier: GPL-3.0-or-later
// The workbench: command line, theme, window.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QRegularExpression>
#include <QScreen>
#include <QTextStream>
#include "base/log.h"
#include "base/standard_streams.h"
#include "llm/catalogue.h"
#include "picture.h"
#include "screenshots.h"
#include "parts/theme/theme.h"
#include "session/session.h"
#include "shell/window/main_window.h"

using namespace ww::widgets;

namespace {

constexpr const char* display_variables[] = {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"};
constexpr int no_display_exit = 3;

// Until there is a display Qt says several things of one, and then aborts: one sentence is enough.
bool display_open = false;
std::vector<std::pair<QtMsgType, QString>> held_back;

std::string display_refused() {
  std::string tried;
  for (const char* name : display_variables)
    if (!qEnvironmentVariableIsEmpty(name))
      tried += (tried.empty() ? "" : ", ") + std::string(name) + "=" + qgetenv(name).toStdString();
  return "No display can be opened" + (tried.empty() ? "" : " (" + tried + ")") +
         ". 'warpwright-cli' works without one.";
}

// Messages of Qt and its libraries also name files and quote texts, so they go through the log.
void log_of_qt(QtMsgType type, const QMessageLogContext&, const QString& message) {
  using ww::log::Level;
  if (!display_open && type == QtFatalMsg) {
    ww::log::say(display_refused());
    std::_Exit(no_display_exit);
  }
  if (!display_open) return held_back.emplace_back(type, message), void();
  const Level level = type == QtDebugMsg     ? Level::debug
                      : type == QtInfoMsg    ? Level::info
                      : type == QtWarningMsg ? Level::warn
                                             : Level::error;
  ww::log::write(level, message.toStdString());
}

}  // namespace

// The command line; help and errors need no display.
struct Arguments {
  QCommandLineParser parser;
  const QCommandLineOption workspace{"workspace", "Open this workspace folder (created if missing).", "folder"};
  const QCommandLineOption explore{"explore", "Start a run as soon as the op is understood."};
  const QCommandLineOption theme{"theme", "light, dark, high-contrast or system.", "name"};
  const QCommandLineOption settings{"settings", "Keep the session in this file instead of your settings.", "file"};
  const QCommandLineOption size{"size", "Size of the window, e.g. 1280x800.", "size"};
  const QCommandLineOption screenshot{"screenshot", "Write a screenshot of the window once it has settled, then exit.",
                                      "file"};
  const QCommandLineOption screenshots{
      "screenshots", "Write screenshots of all workspaces, panels and dialogs into this folder, then exit.", "folder"};
  const QCommandLineOption report{"report", "Write what the window shows as JSON once it has settled, then exit.",
                                  "file"};

  explicit Arguments(const QCoreApplication& app) {
    QCoreApplication::setApplicationName("warpwright");
    QCoreApplication::setOrganizationName("warpwright");
    QCoreApplication::setApplicationVersion(WW_VERSION);
    parser.setApplicationDescription(
        "Explore GPU kernels: describe an operation, see candidates proposed, proved and ranked.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("input", "A sentence, an op spec (.op), a kernel (.cu, .ptx) or a moment (.wwmoment).",
                                 "[sentence|file]");
    parser.addOptions({workspace, explore, theme, settings, size, screenshot, screenshots, report});
    if (!parser.parse(QCoreApplication::arguments())) {
      ww::log::say(parser.errorText().toStdString());
      std::exit(2);
    }
    parser.process(app);
  }
};

std::optional<QSize> size_of(const QString& text) {
  static const QRegularExpression form("^(\\d{2,5})x(\\d{2,5})$");
  const QRegularExpressionMatch sides = form.match(text);
  if (!sides.hasMatch()) return std::nullopt;
  constexpr int most = 16384;  // more than any display has; a picture of more would take gigabytes
  const QSize size(sides.captured(1).toInt(), sides.captured(2).toInt());
  return std::max(size.width(), size.height()) <= most ? std::optional(size) : std::nullopt;
}

bool asks_for_words(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view word) {
    return word == "--help" || word == "-h" || word == "--help-all" || word == "--version" || word == "-v";
  });
}

// The exit code of options that cannot be used, after saying why; nothing: they can.
std::optional<int> refused(const Arguments& arguments) {
  const auto& [parser, workspace, explore, theme, settings, size, screenshot, screenshots, report] = arguments;
  std::string why;
  if (const QFileInfo kept(parser.value(settings)); kept.exists() && !kept.isFile())
    why = "--settings: " + kept.filePath().toStdString() + " is not a file";
  else if (parser.isSet(workspace) && parser.value(workspace).isEmpty())
    why = "--workspace: needs a folder; leave it out for the default workspace";
  else if (parser.isSet(size) && !size_of(parser.value(size)))
    why = "--size: '" + parser.value(size).toStdString() + "' is not a size such as 1280x800";
  else if (parser.isSet(screenshots) && (parser.isSet(screenshot) || parser.isSet(report)))
    why = "--screenshots cannot be combined with --screenshot or --report";
  if (why.empty()) return std::nullopt;
  ww::log::say(why);
  return 2;
}

int main(int argc, char** argv) {
  ww::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is reported as an ordinary error
  ww::llm::take_keys();           // before any thread or library reads the environment
  if (argc > 1 && asks_for_words(argc, argv)) {
    const QCoreApplication app(argc, argv);
    const Arguments arguments(app);  // answers and exits
    return 0;
  }
  const bool shown = std::any_of(std::begin(display_variables), std::end(display_variables),
                                 [](const char* name) { return !qEnvironmentVariableIsEmpty(name); }) ||
                     std::any_of(argv, argv + argc, [](const char* word) {
                       return std::string_view(word) == "-platform" || std::string_view(word) == "--platform";
                     });
  if (!shown) {  // Qt would abort
    ww::log::say(
        "There is no display here (DISPLAY and WAYLAND_DISPLAY are not set). 'warpwright-cli' works without one.");
    return no_display_exit;
  }
  qInstallMessageHandler(log_of_qt);
  QApplication app(argc, argv);
  display_open = true;
  for (const auto& [type, message] : std::exchange(held_back, {})) log_of_qt(type, {}, message);
  QApplication::setApplicationDisplayName("Warpwright");
  const Arguments arguments(app);
  const auto& [parser, workspace, explore, theme, settings, size, screenshot, screenshots, report] = arguments;

  if (const std::optional<int> code = refused(arguments)) return *code;
  WindowOptions options;
  const bool scripted = parser.isSet(screenshot) || parser.isSet(screenshots) || parser.isSet(report);
  options.remember = !scripted;
  options.settings_file = parser.value(settings);
  options.workspace = parser.value(workspace);
  options.input = parser.positionalArguments().join(' ');
  options.explore = parser.isSet(explore);
  const QString wanted =
      parser.isSet(theme) ? parser.value(theme) : MainWindow::remembered_theme(options.settings_file);
  if (!Theme::instance().apply(wanted)) {
    ww::log::say("there is no theme named " + wanted.toStdString());
    if (parser.isSet(theme)) return 2;
    Theme::instance().apply("system");
  }

  QApplication::setWindowIcon(QIcon(":/icons/warpwright.svg"));
  MainWindow window(Services(), options);
  if (parser.isSet(size))
    window.resize(*size_of(parser.value(size)));
  else if (const QScreen* screen = window.screen())
    window.fit_into(screen->availableGeometry());
  window.show();
  if (scripted)
    QObject::connect(window.session(), &Session::workspace_failed, &window, [](const QString&, const QString& why) {
      ww::log::say(why.toStdString());
      QCoreApplication::exit(3);
    });
  if (parser.isSet(report) || parser.isSet(screenshot))
    write_when_settled(window, {parser.value(screenshot), parser.value(report), options.explore});
  if (parser.isSet(screenshots)) {
    auto* shots = new ww::workbench::Screenshots(window, parser.value(screenshots));
    QObject::connect(shots, &ww::workbench::Screenshots::finished, &window,
                     [](int written, const QStringList& problems) {
                       QTextStream(stdout) << written << " pictures\n";
                       for (const QString& problem : problems) ww::log::say(problem.toStdString());
                       QCoreApplication::exit(problems.isEmpty() ? 0 : 1);
                     });
  }
  return QApplication::exec();
}
