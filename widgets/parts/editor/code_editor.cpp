// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/code_editor.h"
#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QTimer>
#include <QToolTip>
#include <Qsci/qscilexer.h>
#include <Qsci/qscistyle.h>
#include <Qsci/qscistyledtext.h>
#include <algorithm>
#include <utility>
#include <vector>
#include "base/visible.h"
#include "parts/editor/cuda_lexer.h"
#include "parts/editor/directive_line.h"
#include "parts/editor/op_lexer.h"
#include "parts/editor/ptx_lexer.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {
constexpr qsizetype slice_bytes = 192 * 1024, longest_paste = slice_bytes;
constexpr int note_margin = 1, linked_margin = 3;
}  // namespace

CodeEditor::CodeEditor(CodeLanguage language, bool read_only, QWidget* parent)
    : QsciScintilla(parent), language_(language), slicer_(new QTimer(this)) {
  setUtf8(true);
  setEolMode(EolUnix);
  setIndentationsUseTabs(false);
  setTabWidth(2);
  setAutoIndent(true);
  setFolding(NoFoldStyle);
  setWrapMode(WrapNone);
  setReadOnly(read_only);
  setCaretLineVisible(true);
  setScrollWidth(1);
  setScrollWidthTracking(true);
  setBraceMatching(SloppyBraceMatch);
  SendScintilla(SCI_SETLAYOUTCACHE, SC_CACHE_PAGE);
  SendScintilla(SCI_SETCARETSTICKY, SC_CARETSTICKY_OFF);
  SendScintilla(SCI_SETEXTRAASCENT, 1);
  SendScintilla(SCI_SETEXTRADESCENT, 1);
  SendScintilla(SCI_USEPOPUP, 1);
  // Tab belongs to the text of an editable box, which Ctrl+Tab leaves; read-only views let it move the focus.
  if (read_only) SendScintilla(SCI_CLEARCMDKEY, SCK_TAB);
  for (const int key : {'F', 'L', 'P', 'D', 'T'}) {  // the window's keys, or harmful ones in a viewer
    SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(key) | (SCMOD_CTRL << 16));
    SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(key) | ((SCMOD_CTRL | SCMOD_SHIFT) << 16));
  }
  SendScintilla(SCI_CLEARCMDKEY, SCK_RETURN | (SCMOD_CTRL << 16));

  if (language == CodeLanguage::cuda) setLexer(new CudaLexer(this));
  if (language == CodeLanguage::ptx) setLexer(new PtxLexer(this));
  if (language == CodeLanguage::op) setLexer(new OpLexer(this));

  for (int margin = 0; margin < 5; ++margin) setMarginWidth(margin, 0);
  setMarginType(0, NumberMargin);
  setMarginType(note_margin, TextMargin);
  setMarginType(sign_margin, SymbolMargin);
  setMarginMarkerMask(note_margin, 0);
  setMarginMarkerMask(sign_margin, 1 << fault_sign | 1 << error_sign | 1 << warning_sign);
  setMarginType(linked_margin, SymbolMargin);
  setMarginMarkerMask(linked_margin, 1 << linked_sign);
  SendScintilla(SCI_SETMARGINLEFT, 0UL, 5L);
  viewport()->setMouseTracking(true);
  slicer_->setSingleShot(true);
  connect(slicer_, &QTimer::timeout, this, &CodeEditor::next_slice);
  connect(this, &QsciScintilla::linesChanged, this, &CodeEditor::size_number_margin);
  connect(&Theme::instance(), &Theme::changed, this, &CodeEditor::restyle);
  connect(this, &QsciScintilla::SCN_MODIFIED, this, [this](int, int what, const char*, int, int added, int line) {
    if (what & (SC_MOD_INSERTTEXT | SC_MOD_DELETETEXT)) mark_directives(line, line + std::max(0, added));
  });
  show_invisible_characters();
  restyle();
}

// A comment may hide code behind characters that reorder a line or have no shape.
void CodeEditor::show_invisible_characters() {
  static const std::vector<std::pair<QByteArray, QByteArray>> shown = [] {
    std::vector<std::pair<QByteArray, QByteArray>> all;
    for (char32_t c = 0x80; c < 0xe01f0; c = c == 0xffff ? 0xe0000 : c + 1)
      if (is_invisible(c))
        all.emplace_back(QString::fromUcs4(&c, 1).toUtf8(),
                         "U+" + QByteArray::number(static_cast<uint>(c), 16).toUpper());
    return all;
  }();
  for (const auto& [character, name] : shown)
    SendScintilla(SCI_SETREPRESENTATION, character.constData(), name.constData());
}

void CodeEditor::restyle() {
  const Theme& theme = Theme::instance();
  const QFont font = painted_code_font();
  setFont(font);
  setPaper(theme.color("code-background"));
  setColor(theme.color("code-text"));
  if (QsciLexer* l = lexer()) {
    l->setDefaultFont(font);
    l->setDefaultPaper(theme.color("code-background"));
    l->setDefaultColor(theme.color("code-text"));
    for (int style = 0; style < 128; ++style) {
      if (l->description(style).isEmpty()) continue;
      l->setPaper(theme.color("code-background"), style);
      l->setFont(font, style);
      QString token = "code-text";
      if (auto* cuda = qobject_cast<CudaLexer*>(l)) token = cuda->token(style);
      if (auto* ptx = qobject_cast<PtxLexer*>(l)) token = ptx->token(style);
      if (auto* op = qobject_cast<OpLexer*>(l)) token = op->token(style);
      l->setColor(theme.color(token), style);
    }
    setLexer(l);  // makes it read the styles again
  }
  setMarginsFont(font);
  setMarginsBackgroundColor(theme.color("code-margin"));
  setMarginsForegroundColor(theme.color("code-margin-text"));
  setCaretForegroundColor(theme.color("text"));
  setCaretLineBackgroundColor(theme.color("code-current-line"));
  setSelectionBackgroundColor(theme.color("selection"));
  setSelectionForegroundColor(theme.color("selection-text"));
  setMatchedBraceBackgroundColor(theme.color("selection"));
  setMatchedBraceForegroundColor(theme.color("selection-text"));
  setUnmatchedBraceForegroundColor(theme.color("rejected"));
  setUnmatchedBraceBackgroundColor(theme.color("code-background"));

  const auto lines = [&](int marker, const char* token) {
    markerDefine(Background, marker);
    setMarkerBackgroundColor(theme.color(token), marker);
  };
  lines(fault_marker, "code-fault");
  lines(added_marker, "diff-added");
  lines(removed_marker, "diff-removed");
  lines(filler_marker, "diff-filler");
  lines(linked_marker, "code-linked");
  markerDefine(RightTriangle, fault_sign);
  setMarkerBackgroundColor(theme.color("rejected"), fault_sign);
  setMarkerForegroundColor(theme.color("rejected"), fault_sign);
  markerDefine(ThreeRightArrows, linked_sign);
  setMarkerForegroundColor(theme.color("accent"), linked_sign);
  style_messages();
  const auto box = [&](int number, const char* token) {
    indicatorDefine(FullBoxIndicator, number);
    setIndicatorForegroundColor(theme.color(token), number);
    SendScintilla(SCI_INDICSETALPHA, static_cast<unsigned long>(number), 255L);
    setIndicatorDrawUnder(true, number);
  };
  indicatorDefine(TextColorIndicator, directive_mark);
  setIndicatorForegroundColor(theme.color(directive_token), directive_mark);
  box(search_mark, "code-search");
  box(added_word, "diff-added-word");
  box(removed_word, "diff-removed-word");
  size_number_margin();
  set_line_notes(notes_);
}

// Over the lexer's colours: lexers take these lines for comments.
void CodeEditor::mark_directives(int first, int last) {
  SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(directive_mark));
  for (int line = first; line <= last; ++line) {
    const long begin = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const long size = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line)) - begin;
    if (size <= 0) continue;
    SendScintilla(SCI_INDICATORCLEARRANGE, static_cast<unsigned long>(begin), size);
    QByteArray bytes(size + 1, '\0');
    SendScintilla(SCI_GETTEXTRANGE, begin, begin + size, bytes.data());
    if (const auto found = directive_in({bytes.constData(), static_cast<std::size_t>(size)}))
      SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin) + found->begin,
                    static_cast<long>(found->end - found->begin));
  }
}

void CodeEditor::set_line_numbers(bool on) {
  numbers_ = on;
  size_number_margin();
}

void CodeEditor::size_number_margin() {
  const int digits = std::max(3, static_cast<int>(QString::number(lines()).size()));
  setMarginWidth(0, numbers_ ? QString(digits + 1, '9') : QString());
  if (!numbers_) setMarginWidth(0, 0);
}

void CodeEditor::set_code(const QString& code) {
  slicer_->stop();
  rest_ = code.toUtf8();
  rest_at_ = 0;
  const bool was_read_only = isReadOnly();
  setReadOnly(false);
  SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
  SendScintilla(SCI_CLEARALL);
  SendScintilla(SCI_SETUNDOCOLLECTION, 1UL);
  SendScintilla(SCI_EMPTYUNDOBUFFER);
  setReadOnly(was_read_only);
  next_slice();
}

void CodeEditor::next_slice() {
  const qsizetype n = std::min(slice_bytes, rest_.size() - rest_at_);
  if (n > 0) {
    const bool was_read_only = isReadOnly();
    setReadOnly(false);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
    SendScintilla(SCI_APPENDTEXT, static_cast<unsigned long>(n), rest_.constData() + rest_at_);
    SendScintilla(SCI_SETUNDOCOLLECTION, 1UL);
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setReadOnly(was_read_only);
    rest_at_ += n;
  }
  if (!complete()) {
    slicer_->start(1);
    return;
  }
  rest_.clear();
  rest_at_ = 0;
  SendScintilla(SCI_SETSAVEPOINT);
  emit text_complete();
}

void CodeEditor::replace_code(const QString& code) {
  if (code == text()) return;
  beginUndoAction();
  selectAll();
  replaceSelectedText(code);
  endUndoAction();
  setCursorPosition(0, 0);
}

void CodeEditor::mark_fault(int line) {
  markerDeleteAll(fault_marker);
  markerDeleteAll(fault_sign);
  const bool there = line > 0 && line <= lines();
  setCaretLineVisible(!there);  // its colour would hide the mark's
  fault_ = there;
  size_sign_margin();
  if (!there) return;
  markerAdd(line - 1, fault_marker);
  markerAdd(line - 1, fault_sign);
}

void CodeEditor::go_to(int line, int column) {
  const int row = std::clamp(line - 1, 0, std::max(0, lines() - 1));
  // Columns count bytes; QScintilla's index counts characters.
  const long start = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(row));
  const long end = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(row));
  SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(std::min(start + std::max(0, column - 1), end)));
  SendScintilla(SCI_SETFIRSTVISIBLELINE,
                static_cast<unsigned long>(std::max(0L, row - SendScintilla(SCI_LINESONSCREEN) / 2)));
}

void CodeEditor::show_from(int line) { SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(line - 1)); }

void CodeEditor::show_from_code() {
  const QString all = text();
  int number = 0;
  for (const QStringView line : QStringTokenizer(all, u'\n')) {
    ++number;
    if (const QStringView code = line.trimmed(); !code.isEmpty() && !code.startsWith(u"//")) return show_from(number);
  }
}

CodeEditor::TextPlace CodeEditor::place() const {
  TextPlace place;
  getCursorPosition(&place.line, &place.column);
  place.top = firstVisibleLine();
  return place;
}

void CodeEditor::set_place(const TextPlace& place) {
  setCursorPosition(place.line, place.column);
  setFirstVisibleLine(place.top);
}

void CodeEditor::show_line(int line) {
  const long first = SendScintilla(SCI_GETFIRSTVISIBLELINE), page = SendScintilla(SCI_LINESONSCREEN);
  if (line - 1 < first || line - 1 >= first + page)
    SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0L, line - 1 - page / 3)));
}

void CodeEditor::set_line_notes(const std::vector<LineNote>& notes) {
  notes_ = notes;
  clearMarginText();
  if (notes.empty()) {
    setMarginWidth(note_margin, 0);
    return;
  }
  const Theme& theme = Theme::instance();
  const QColor cold = theme.color("code-margin"), hot = theme.color("warning");
  const QColor text = theme.color("code-text");
  qsizetype widest = 3;
  for (const LineNote& note : notes) widest = std::max(widest, note.text.size() + 1);
  for (const LineNote& note : notes) {
    if (note.line < 1 || note.line > lines()) continue;
    const double share = std::clamp(note.share, 0.0, 1.0) * 0.45;
    const auto mix = [&](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    // Styles are made per shade; there are only 8 of them.
    const int shade = static_cast<int>(std::clamp(note.share, 0.0, 1.0) * 7);
    const QsciStyle style(
        200 + shade, tr("Line count"), text,
        QColor(mix(cold.red(), hot.red()), mix(cold.green(), hot.green()), mix(cold.blue(), hot.blue())),
        painted_code_font());
    setMarginText(note.line - 1, QsciStyledText(note.text.rightJustified(widest) + ' ', style));
  }
  setMarginWidth(note_margin, QString(widest + 1, '9'));
}

void CodeEditor::set_linked_line(int line) {
  markerDeleteAll(linked_marker);
  markerDeleteAll(linked_sign);
  if (line < 1 || line > lines()) return;
  setMarginWidth(linked_margin, 14);
  markerAdd(line - 1, linked_marker);
  markerAdd(line - 1, linked_sign);
}

int CodeEditor::line_at(const QPoint& point) const {
  const long position = SendScintilla(SCI_POSITIONFROMPOINT, static_cast<unsigned long>(std::max(0, point.x())),
                                      static_cast<long>(point.y()));
  const long top = SendScintilla(SCI_POINTYFROMPOSITION, 0UL, position);
  const long line = SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(position));
  return point.y() < top + SendScintilla(SCI_TEXTHEIGHT, static_cast<unsigned long>(line)) && point.y() >= top
             ? static_cast<int>(line) + 1
             : 0;
}

void CodeEditor::mouseReleaseEvent(QMouseEvent* event) {
  QsciScintilla::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton || hasSelectedText()) return;
  if (const int line = line_at(event->pos()); line > 0) emit line_clicked(line);
}

bool CodeEditor::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::MouseMove || event->type() == QEvent::Leave) {
    const int line = event->type() == QEvent::Leave ? 0 : line_at(static_cast<QMouseEvent*>(event)->pos());
    if (line != hovered_) {
      hovered_ = line;
      emit line_hovered(line);
    }
  }
  if (event->type() == QEvent::ToolTip && (line_tip_ || !messages_.empty())) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int line = line_at(help->pos());
    QString tip = message_at(help->pos());
    if (tip.isEmpty() && line > 0 && line_tip_) tip = line_tip_(line);
    if (tip.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), tip, viewport());
    return true;
  }
  return QsciScintilla::viewportEvent(event);
}

void CodeEditor::keyPressEvent(QKeyEvent* event) {
  // Keys that belong to the window or move the focus.
  if (event->key() == Qt::Key_Escape ||
      (event->modifiers() & Qt::ControlModifier && (event->key() == Qt::Key_Return || event->key() == Qt::Key_F))) {
    event->ignore();
    return;
  }
  const bool tab = event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab;
  if (tab && (isReadOnly() || event->modifiers() & Qt::ControlModifier)) {
    // NOLINTNEXTLINE(bugprone-parent-virtual-call): QScintilla's own keeps the focus in the text
    QAbstractScrollArea::focusNextPrevChild(event->key() == Qt::Key_Tab);
    return;
  }
  if (event->matches(QKeySequence::Paste)) return paste();
  QsciScintilla::keyPressEvent(event);
}

// Scintilla removes the selection before it asks what is to take its place.
void CodeEditor::paste() {
  const QMimeData* source = QGuiApplication::clipboard()->mimeData();
  if (!source || takes(*source)) QsciScintilla::paste();
}

QByteArray CodeEditor::fromMimeData(const QMimeData* source, bool& rectangular) const {
  if (takes(*source)) return QsciScintilla::fromMimeData(source, rectangular);
  rectangular = false;
  return {};
}

bool CodeEditor::takes(const QMimeData& source) const {
  const qsizetype size = source.text().size();
  if (size <= longest_paste) return true;
  QToolTip::showText(mapToGlobal(QPoint(12, 12)),
                     tr("The text has %1 characters, but at most %2 can be pasted at once: nothing was pasted.")
                         .arg(count_text(static_cast<double>(size)), count_text(longest_paste)),
                     const_cast<CodeEditor*>(this));
  return false;
}

}  // namespace ww::widgets
