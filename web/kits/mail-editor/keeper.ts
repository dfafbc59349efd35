import { Extension } from '@tiptap/core'
import { type EditorState, NodeSelection, Plugin, type Transaction } from '@tiptap/pm/state'
import { OPENED_BAND } from '../../../shared/messages/mail-document.ts'
import { FOOTER, findBlock, moveBlock } from './actions.ts'
import { createId } from './convert.ts'

// Keeps ids unique and the footer as it is, and adds the keys of blocks.

/** Whether undo or redo made this change. */
const isHistory = (tr: Transaction): boolean => tr.getMeta('history$') !== undefined

function keepFooter(changes: readonly Transaction[], before: EditorState, state: EditorState): Transaction | null {
  if (changes.some((tr) => tr.getMeta(FOOTER) || isHistory(tr))) return null
  const [old, footer] = [before.doc.lastChild!, state.doc.lastChild!]
  if (old.eq(footer)) return null
  const tr = state.tr
  const pos = state.doc.content.size - footer.nodeSize
  for (const [name, value] of Object.entries(old.attrs)) tr.setNodeAttribute(pos, name, value)
  return tr
}

function keepIds(tr: Transaction): Transaction {
  const known = new Set<string>()
  tr.doc.descendants((node, pos) => {
    if (!('id' in node.attrs)) return !node.isTextblock
    const { id } = node.attrs
    if (id && id !== OPENED_BAND && !known.has(id)) known.add(id)
    else {
      const next = createId()
      known.add(next)
      tr.setNodeAttribute(pos, 'id', next)
    }
    return !node.isTextblock
  })
  return tr
}

export const createKeeper = () =>
  new Plugin({
    appendTransaction(changes, before, state) {
      if (!changes.some((tr) => tr.docChanged)) return null
      const tr = keepIds(keepFooter(changes, before, state) ?? state.tr)
      return tr.docChanged ? tr : null
    },
  })

interface Options {
  announce: (text: string) => void
  /** Focuses the first setting. */
  onSettings: () => void
  /** Escape where a block is selected already. */
  onLeave: () => void
}

export const createBlockKeys = ({ announce, onSettings, onLeave }: Options) =>
  Extension.create({
    name: 'block-keys',
    priority: 500,
    addKeyboardShortcuts() {
      const move = (by: -1 | 1) => () => {
        const text = moveBlock(this.editor, by)
        if (text) announce(text)
        return true
      }
      return {
        'Alt-Shift-ArrowUp': move(-1),
        'Alt-Shift-ArrowDown': move(1),
        Escape: () => {
          const { state, view } = this.editor
          const found = findBlock(state)
          if (!found || state.selection instanceof NodeSelection) onLeave()
          else view.dispatch(state.tr.setSelection(NodeSelection.create(state.doc, found.pos)))
          return true
        },
        'Mod-Shift-s': () => {
          onSettings()
          return true
        },
      }
    },
    addProseMirrorPlugins: () => [createKeeper()],
  })
