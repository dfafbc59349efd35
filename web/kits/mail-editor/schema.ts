import { type Attributes, Extension, InputRule, Mark, mergeAttributes, Node } from '@tiptap/core'
import { dropCursor } from '@tiptap/pm/dropcursor'
import { gapCursor } from '@tiptap/pm/gapcursor'
import { history, redo, undo } from '@tiptap/pm/history'
import type { DOMOutputSpec } from '@tiptap/pm/model'
import type { ValueName } from '../../../shared/messages/mail-document.ts'
import { blockType } from './convert.ts'
import {
  type BlockType,
  bandFields,
  cleanFields,
  type Field,
  footerFields,
  isHref,
  listFields,
  mailFields,
  readAddress,
  valueField,
} from './fields.ts'
import type { LookSource } from './look.ts'
import { createBandView, createChipView, createDataView, createFooterView } from './views.ts'

// The editor's own schema: bands, then the one footer. A mail without the footer does not exist in it, so no edit removes it.

/** Attributes come from `getAttrs` of a rule only: pasted elements have attributes of the same names. */
const listAttributes = (fields: Readonly<Record<string, Field>>): Attributes =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { initial }]) => [
      name,
      { default: initial, rendered: false, keepOnSplit: name !== 'id', parseHTML: () => null },
    ]),
  )

const MAX_ATTRIBUTES = 100_000

/** What a copied block has of its own; pasted content may claim anything. */
function readAttributes(fields: Readonly<Record<string, Field>>, element: HTMLElement): Record<string, unknown> {
  const text = element.getAttribute('data-fields') ?? ''
  return cleanFields(fields, text.length > MAX_ATTRIBUTES ? {} : parseJson(text))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const writeAttributes = (name: string, attrs: object) => ({ 'data-mail': name, 'data-fields': JSON.stringify(attrs) })

const Doc = Node.create({
  name: 'doc',
  topNode: true,
  content: 'band+ footer',
  addAttributes: () => listAttributes(mailFields),
})

const Text = Node.create({ name: 'text', group: 'inline' })

const createTextBlock = (name: 'paragraph' | 'heading') =>
  Node.create({
    name,
    // The first one is what an empty place is filled with.
    priority: name === 'paragraph' ? 1000 : 900,
    group: 'block leaf',
    content: 'inline*',
    defining: name === 'heading',
    addAttributes: () => listAttributes(listFields(blockType(name))),
    parseHTML() {
      const fields = listFields(blockType(name))
      const rule = (tag: string, extra: object = {}) => ({
        tag,
        getAttrs: (element: HTMLElement) => ({ ...readAttributes(fields, element), ...extra }),
      })
      if (name === 'paragraph') return [rule('p')]
      return [rule('h1', { level: 1 }), ...['h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => rule(tag, { level: 2 }))]
    },
    renderHTML({ node: { attrs } }): DOMOutputSpec {
      const tag = name === 'paragraph' ? 'p' : `h${attrs.level}`
      const look = { 'data-block': name, 'data-align': attrs.align, 'data-size': attrs.size, 'data-show': attrs.show }
      return [tag, { dir: 'auto', ...writeAttributes(name, attrs), ...look }, 0]
    },
  })

const Break = Node.create({
  name: 'break',
  group: 'inline',
  inline: true,
  selectable: false,
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
  renderText: () => '\n',
  addKeyboardShortcuts() {
    const insert = () => this.editor.commands.insertContent({ type: 'break' })
    return { 'Shift-Enter': insert, 'Mod-Enter': insert }
  },
})

const createMark = (name: string, tag: string, key: string, tags: readonly string[], style: string) =>
  Mark.create({
    name,
    parseHTML: () => [...tags.map((each) => ({ tag: each })), { style }],
    renderHTML: () => [tag, 0],
    addKeyboardShortcuts() {
      return { [key]: () => this.editor.commands.toggleMark(name) }
    },
  })

const Link = Mark.create({
  name: 'link',
  priority: 1000,
  inclusive: false,
  addAttributes: () => ({ href: { default: 'cart', rendered: false, parseHTML: () => null } }),
  parseHTML: () => [
    {
      tag: 'a[href]',
      getAttrs: (element) => {
        const href = element.getAttribute('data-href') ?? readAddress(element.getAttribute('href') ?? '') ?? ''
        return isHref(href) ? { href } : false
      },
    },
  ],
  // Without an address: a click in the editor must not leave it.
  renderHTML: ({ mark }) => ['a', { class: 'me-link', 'data-href': mark.attrs.href, href: '#' }, 0],
})

const createValue = (look: LookSource) =>
  Node.create({
    name: 'value',
    group: 'inline',
    inline: true,
    atom: true,
    addAttributes: () => listAttributes(valueField),
    parseHTML: () => [
      { tag: 'span[data-mail=value]', getAttrs: (element) => readAttributes(valueField, element as HTMLElement) },
    ],
    renderHTML: ({ node }) => ['span', writeAttributes('value', node.attrs)],
    renderText: ({ node }) => `{{ ${node.attrs.name} }}`,
    addNodeView: () => createChipView(look),
    addInputRules() {
      return [
        new InputRule({
          find: /\{\{\s*([a-z_]+)\s*\}\}$/,
          handler: ({ state, range, match }) => {
            if (!valueField.name!.isValid(match[1])) return
            state.tr.replaceWith(range.from, range.to, this.type.create(defaultValue(match[1] as ValueName)))
          },
        }),
      ]
    },
  })

/** A name is often unknown. */
export const defaultValue = (name: ValueName) => ({ name, fallback: name === 'customer_name' ? 'there' : null })

const createDataBlock = (type: BlockType, look: LookSource) =>
  Node.create({
    name: type,
    group: 'block leaf',
    atom: true,
    draggable: true,
    addAttributes: () => listAttributes(listFields(type)),
    parseHTML: () => [
      {
        tag: `div[data-mail=${type}]`,
        getAttrs: (element) => readAttributes(listFields(type), element as HTMLElement),
      },
    ],
    renderHTML: ({ node }) => ['div', writeAttributes(type, node.attrs)],
    addNodeView: () => createDataView(look),
  })

const dataTypes = [
  'image',
  'items',
  'totals',
  'coupon',
  'button',
  'product',
  'trust',
  'divider',
  'spacer',
  'social',
  'legacy_text',
] as const satisfies readonly BlockType[]

const Columns = Node.create({
  name: 'columns',
  group: 'block',
  content: 'column column',
  isolating: true,
  draggable: true,
  addAttributes: () => listAttributes(listFields('columns')),
  parseHTML: () => [
    {
      tag: 'div[data-mail=columns]',
      getAttrs: (element) => readAttributes(listFields('columns'), element as HTMLElement),
    },
  ],
  renderHTML: ({ node: { attrs } }) => [
    'div',
    {
      ...writeAttributes('columns', attrs),
      'data-block': 'columns',
      'data-split': attrs.split,
      'data-show': attrs.show,
    },
    0,
  ],
})

const Column = Node.create({
  name: 'column',
  content: 'leaf*',
  isolating: true,
  selectable: false,
  parseHTML: () => [{ tag: 'div[data-mail=column]' }],
  renderHTML: () => ['div', { 'data-mail': 'column' }, 0],
})

const createBand = (look: LookSource) =>
  Node.create({
    name: 'band',
    content: 'block+',
    defining: true,
    isolating: true,
    selectable: false,
    addAttributes: () => listAttributes(bandFields),
    parseHTML: () => [
      { tag: 'section[data-mail=band]', getAttrs: (element) => readAttributes(bandFields, element as HTMLElement) },
    ],
    renderHTML: ({ node, HTMLAttributes }) => [
      'section',
      mergeAttributes(HTMLAttributes, writeAttributes('band', node.attrs)),
      0,
    ],
    addNodeView: () => createBandView(look),
  })

/** Without a rule to parse it: a pasted footer is dropped. */
const createFooter = (look: LookSource) =>
  Node.create({
    name: 'footer',
    atom: true,
    draggable: false,
    addAttributes: () => listAttributes(footerFields),
    renderHTML: () => ['footer', {}],
    addNodeView: () => createFooterView(look),
  })

/** Undo, drop cursor and the keys of every text editor. */
const Basics = Extension.create({
  name: 'basics',
  addKeyboardShortcuts() {
    const run = (command: typeof undo) => () => command(this.editor.state, this.editor.view.dispatch)
    return { 'Mod-z': run(undo), 'Mod-Shift-z': run(redo), 'Mod-y': run(redo) }
  },
  addProseMirrorPlugins: () => [history(), dropCursor({ class: 'me-drop', width: 2 }), gapCursor()],
})

const marks = [
  Link,
  createMark('bold', 'strong', 'Mod-b', ['strong', 'b'], 'font-weight=bold'),
  createMark('italic', 'em', 'Mod-i', ['em', 'i'], 'font-style=italic'),
  createMark('underline', 'u', 'Mod-u', ['u'], 'text-decoration=underline'),
]

export const createMailSchema = (look: LookSource) => [
  Doc,
  Text,
  createTextBlock('paragraph'),
  createTextBlock('heading'),
  ...dataTypes.map((type) => createDataBlock(type, look)),
  Columns,
  Column,
  createBand(look),
  createFooter(look),
  createValue(look),
  Break,
  ...marks,
  Basics,
]

/** One line of text and values, as in a subject. */
export const createLineSchema = (look: LookSource) => [
  Node.create({ name: 'doc', topNode: true, content: 'line' }),
  Node.create({
    name: 'line',
    content: '(text | value)*',
    marks: '',
    parseHTML: () => [{ tag: 'p' }],
    renderHTML: () => ['p', { dir: 'auto' }, 0],
  }),
  Text,
  createValue(look),
  Extension.create({ name: 'line-keys', addKeyboardShortcuts: () => ({ Enter: () => true }) }),
  Basics,
]
