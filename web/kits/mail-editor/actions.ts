import type { Editor } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { Fragment, type Node } from '@tiptap/pm/model'
import { type EditorState, NodeSelection, Selection, TextSelection, type Transaction } from '@tiptap/pm/state'
import type { MailDocument, ValueName } from '../../../shared/messages/mail-document.ts'
import type { BlockChoice } from './choices.ts'
import { blockType, createId, nodeName, toEditor } from './convert.ts'
import { blockNames } from './fields.ts'
import { defaultValue } from './schema.ts'

// Changes of blocks. Each is one transaction with its selection, so that undo takes one step.

/** A block of the mail, or its footer. */
export interface FoundBlock {
  node: Node
  pos: number
}

const isBlock = (node: Node): boolean => node.type.isInGroup('block')

/** The block with the selection; in columns the inner one. null: none. */
export function findBlock(state: EditorState): FoundBlock | null {
  const { selection } = state
  if (selection instanceof NodeSelection && !selection.node.isInline) {
    return { node: selection.node, pos: selection.from }
  }
  const { $from } = selection
  for (let depth = $from.depth; depth > 0; depth--) {
    if (isBlock($from.node(depth))) return { node: $from.node(depth), pos: $from.before(depth) }
  }
  return null
}

/** The band around a position. */
export function findBand(state: EditorState, pos: number): FoundBlock | null {
  const $pos = state.doc.resolve(Math.min(pos, state.doc.content.size))
  const inside = $pos.depth > 0 ? { node: $pos.node(1), pos: $pos.before(1) } : null
  return inside?.node.type.name === 'band' ? inside : null
}

export const nameBlock = ({ node }: Pick<FoundBlock, 'node'>): string =>
  node.type.name === 'footer' ? 'Footer' : blockNames[blockType(node.type.name)]

/** Selects atoms as a whole and puts the cursor into texts. */
const selectAt = (tr: Transaction, pos: number): Transaction => {
  const node = tr.doc.nodeAt(pos)
  if (!node) return tr.setSelection(Selection.near(tr.doc.resolve(Math.min(pos, tr.doc.content.size)), -1))
  return tr.setSelection(node.isTextblock ? TextSelection.create(tr.doc, pos + 1) : NodeSelection.create(tr.doc, pos))
}

export function selectBlock(editor: Editor, pos: number): void {
  const { state, view } = editor
  view.dispatch(state.tr.setSelection(NodeSelection.create(state.doc, pos)).scrollIntoView())
}

/** Marks a change of the footer by its settings: all others are undone. */
export const FOOTER = 'mail-footer'

const MERGED_MS = 1_000
const lastChanges = new WeakMap<Editor, { key: string; at: number }>()

/** Typing into a setting is one step of undo. */
function mergeTyping(editor: Editor, tr: Transaction, key: string): void {
  const last = lastChanges.get(editor)
  const now = performance.now()
  if (last?.key === key && now - last.at < MERGED_MS) tr.setMeta('addToHistory', false)
  else closeHistory(tr)
  lastChanges.set(editor, { key, at: now })
}

export function setFields(editor: Editor, { pos, node }: FoundBlock, next: Record<string, unknown>): void {
  const tr = editor.state.tr
  for (const [name, value] of Object.entries(next)) tr.setNodeAttribute(pos, name, value)
  if (node.type.name === 'footer') tr.setMeta(FOOTER, true)
  if (Object.values(next).some((value) => typeof value !== 'boolean')) {
    mergeTyping(editor, tr, `${node.attrs.id ?? node.type.name} ${Object.keys(next).join()}`)
  }
  editor.view.dispatch(tr)
}

export function setMail(
  editor: Editor,
  next: Partial<Pick<MailDocument, 'theme' | 'language' | 'subject' | 'preview'>>,
): void {
  const tr = editor.state.tr
  for (const [name, value] of Object.entries(next)) tr.setDocAttribute(name, value)
  if (!('theme' in next || 'language' in next)) mergeTyping(editor, tr, Object.keys(next).join())
  editor.view.dispatch(tr)
}

/** Another document in place of this one; undo brings it back. */
export function replaceMail(editor: Editor, document: MailDocument): void {
  const { state, view } = editor
  const next = state.schema.nodeFromJSON(toEditor(document))
  const tr = state.tr.replaceWith(0, state.doc.content.size, next.content)
  for (const name of ['theme', 'language', 'subject', 'preview']) tr.setDocAttribute(name, next.attrs[name])
  view.dispatch(closeHistory(tr).setMeta(FOOTER, true).setSelection(Selection.atStart(tr.doc)).scrollIntoView())
}

function createNode(state: EditorState, { type, attrs = {} }: BlockChoice): Node {
  const { nodes } = state.schema
  if (type === 'columns') {
    const column = () => nodes.column!.create(null, nodes.paragraph!.create())
    return nodes.columns!.create(attrs, [column(), column()])
  }
  if (type === 'band') return nodes.band!.create({ background: 'soft', ...attrs }, nodes.paragraph!.create())
  const initial = type === 'coupon' ? { show: 'with_coupon' } : {}
  return nodes[nodeName(type)]!.create({ ...initial, ...attrs })
}

/** In place of the selected text, with a space to the words beside it. */
export function insertValue(editor: Editor, name: ValueName): void {
  const { $from, $to } = editor.state.selection
  const space = (isMissing: boolean) => (isMissing ? [{ type: 'text', text: ' ' }] : [])
  const isAfterWord = /[\p{L}\p{N},.;:!?]$/u.test($from.nodeBefore?.text ?? '')
  const isBeforeWord = /^[\p{L}\p{N}]/u.test($to.nodeAfter?.text ?? '')
  const value = { type: 'value', attrs: defaultValue(name) }
  editor
    .chain()
    .focus()
    .insertContent([...space(isAfterWord), value, ...space(isBeforeWord)])
    .run()
}

/** After the selected block, or in place of an empty paragraph. `range`: text to remove first, such as "/coup". */
export function addBlock(editor: Editor, choice: BlockChoice, range?: { from: number; to: number }): void {
  const { state, view } = editor
  const tr = state.tr
  if (range) tr.delete(range.from, range.to)
  const at = range ? findAt(tr.doc, range.from) : findBlock(state)
  const node = createNode(state, choice)
  const pos = findPlace(tr, at, node)
  const isEmpty = at !== null && at.node.type.name === 'paragraph' && at.node.content.size === 0
  const isReplaced = isEmpty && pos === at.pos + at.node.nodeSize && node.type.name !== 'band'
  const start = isReplaced ? at.pos : pos
  if (isReplaced) tr.replaceWith(at.pos, pos, node)
  else tr.insert(pos, node)
  selectAt(tr, node.type.name === 'band' || node.type.name === 'columns' ? findFirstText(tr.doc, start) : start)
  view.dispatch(closeHistory(tr).scrollIntoView())
  view.focus()
}

function findAt(doc: Node, pos: number): FoundBlock | null {
  const $pos = doc.resolve(pos)
  return { node: $pos.parent, pos: $pos.before() }
}

/** The position of the first text inside. */
function findFirstText(doc: Node, start: number): number {
  let found = start
  doc.nodeAt(start)?.descendants((node, pos) => {
    if (found === start && node.isTextblock) found = start + 1 + pos
    return found === start
  })
  return found
}

/** The nearest place after `at` that may have this node. */
function findPlace({ doc }: Transaction, at: FoundBlock | null, node: Node): number {
  const last = doc.content.size - doc.lastChild!.nodeSize
  const $end = doc.resolve(at ? Math.min(at.pos + at.node.nodeSize, last) : Math.max(0, last - 1))
  for (let depth = $end.depth; depth >= 0; depth--) {
    const index = depth === $end.depth ? $end.index(depth) : $end.indexAfter(depth)
    if ($end.node(depth).canReplaceWith(index, index, node.type)) {
      return depth === $end.depth ? $end.pos : $end.after(depth + 1)
    }
  }
  return last
}

export function copyBlock(editor: Editor, { node, pos }: FoundBlock): void {
  const { state, view } = editor
  const tr = state.tr.insert(pos + node.nodeSize, withNewIds(node))
  view.dispatch(
    closeHistory(tr)
      .setSelection(NodeSelection.create(tr.doc, pos + node.nodeSize))
      .scrollIntoView(),
  )
}

function withNewIds(node: Node): Node {
  const attrs = 'id' in node.attrs ? { ...node.attrs, id: createId() } : node.attrs
  if (node.isTextblock) return node.type.create(attrs, node.content, node.marks)
  return node.type.create(attrs, Fragment.from(node.children.map(withNewIds)), node.marks)
}

/** An emptied band goes too; the last one keeps an empty paragraph. */
export function deleteBlock(editor: Editor, { node, pos }: FoundBlock): void {
  const { state, view } = editor
  const tr = state.tr
  const $pos = state.doc.resolve(pos)
  const { parent } = $pos
  if (node.type.name === 'footer') return
  if (parent.childCount === 1 && parent.type.name === 'band') {
    if (state.doc.childCount > 2) tr.delete($pos.before(), $pos.after())
    else tr.replaceWith(pos, pos + node.nodeSize, state.schema.nodes.paragraph!.create())
  } else tr.delete(pos, pos + node.nodeSize)
  tr.setSelection(Selection.near(tr.doc.resolve(Math.min(pos, tr.doc.content.size - 1)), -1))
  view.dispatch(closeHistory(tr).scrollIntoView())
}

/** Among its neighbours, and from band to band. Returns what happened, for screen readers; null: nothing. */
export function moveBlock(editor: Editor, by: -1 | 1, from = findBlock(editor.state)): string | null {
  if (!from || from.node.type.name === 'footer') return null
  const { state, view } = editor
  const $pos = state.doc.resolve(from.pos)
  const { parent } = $pos
  const index = $pos.index() + by
  const tr = state.tr
  let target: number
  if (index >= 0 && index < parent.childCount) {
    const other = parent.child(index)
    target = by < 0 ? from.pos - other.nodeSize : from.pos + other.nodeSize
    tr.delete(from.pos, from.pos + from.node.nodeSize).insert(target, from.node)
  } else {
    const next = parent.type.name === 'band' ? moveToBand(tr, from, by) : null
    if (next === null) return null
    target = next
  }
  view.dispatch(closeHistory(tr).setSelection(NodeSelection.create(tr.doc, target)).scrollIntoView())
  const $target = tr.doc.resolve(target)
  const section = $target.depth === 1 && tr.doc.childCount > 2 ? `, section ${$target.index(0) + 1}` : ''
  return `${nameBlock(from)} moved to place ${$target.index() + 1} of ${$target.parent.childCount}${section}`
}

/** The new position. null: there is no band. */
function moveToBand(tr: Transaction, { node, pos }: FoundBlock, by: -1 | 1): number | null {
  const $pos = tr.doc.resolve(pos)
  const [before, after] = [$pos.before(), $pos.after()]
  const band = by < 0 ? tr.doc.resolve(before).nodeBefore : tr.doc.resolve(after).nodeAfter
  if (band?.type.name !== 'band') return null
  const isAlone = $pos.parent.childCount === 1
  const [from, to] = isAlone ? [before, after] : [pos, pos + node.nodeSize]
  tr.delete(from, to)
  const target = by < 0 ? before - 1 : after - (to - from) + 1
  tr.insert(target, node)
  return target
}

/** The node with this id. */
export function findById(state: EditorState, id: string): FoundBlock | null {
  let found: FoundBlock | null = null
  state.doc.descendants((node, pos) => {
    if (found) return false
    if (node.attrs.id === id) found = { node, pos }
    return !node.isTextblock
  })
  return found
}

export interface OutlineEntry extends FoundBlock {
  key: string
  name: string
  /** Of a text: its first words. */
  quote: string
  level: number
  isMovable: boolean
}

const MAX_QUOTE = 60

/** Every band and block in order, with those in columns. */
export function listOutline(state: EditorState): OutlineEntry[] {
  const entries: OutlineEntry[] = []
  let bands = 0
  state.doc.descendants((node, pos) => {
    const type = node.type.name
    if (type === 'column') return true
    if (type === 'band') bands += 1
    const depth = state.doc.resolve(pos).depth
    entries.push({
      node,
      pos,
      key: node.attrs.id ?? type,
      name: type === 'band' ? `Section ${bands}` : nameBlock({ node }),
      quote: node.isTextblock ? quoteText(node) : '',
      level: Math.min(depth, 2),
      isMovable: type !== 'footer' && type !== 'band',
    })
    return type === 'band' || type === 'columns'
  })
  return entries
}

const quoteText = (node: Node): string => {
  const text = node.textBetween(0, node.content.size, ' ', (leaf) => (leaf.attrs.name ? '…' : ' '))
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text
}
