import { Paper } from '@mantine/core'
import { type Editor, Extension } from '@tiptap/core'
import { PluginKey } from '@tiptap/pm/state'
import { Suggestion, type SuggestionKeyDownProps, type SuggestionProps } from '@tiptap/suggestion'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { addBlock } from './actions.ts'
import { BlockIcon } from './BlockIcon.tsx'
import { type BlockChoice, findChoices } from './choices.ts'

type Props = SuggestionProps<BlockChoice, BlockChoice>

/** Where the plugin reports to; the list is drawn by React. */
export interface SlashPort {
  show: (props: Props | null) => void
  press: (event: KeyboardEvent) => boolean
}

/** Its priority puts it before the other keys: Enter chooses instead of splitting the paragraph. */
export const createSlash = (port: RefObject<SlashPort>) =>
  Extension.create({
    name: 'slash',
    priority: 2_000,
    addProseMirrorPlugins() {
      return [
        Suggestion<BlockChoice, BlockChoice>({
          editor: this.editor,
          pluginKey: new PluginKey('slash'),
          char: '/',
          decorationClass: 'me-slashed',
          items: ({ query }) => findChoices(query),
          command: ({ editor, range, props }) => addBlock(editor, props, range),
          render: () => ({
            onStart: (props: Props) => port.current.show(props),
            onUpdate: (props: Props) => port.current.show(props),
            onExit: () => port.current.show(null),
            onKeyDown: ({ event }: SuggestionKeyDownProps) => port.current.press(event),
          }),
        }),
      ]
    },
  })

const LIST_HEIGHT = 330

/** The list of blocks after "/". The cursor stays in the text, so the editor names the active option. */
export function SlashMenu({ editor, port }: { editor: Editor; port: RefObject<SlashPort> }) {
  const [props, setProps] = useState<Props | null>(null)
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const choices = props?.items ?? []
  const chosen = Math.min(active, choices.length - 1)
  port.current = {
    show: (next) => {
      setProps(next)
      if (next?.query !== props?.query) setActive(0)
    },
    press: (event) => {
      const count = choices.length
      if (count === 0) return false
      const step = { ArrowDown: 1, ArrowUp: count - 1 }[event.key]
      if (step !== undefined) setActive((chosen + step) % count)
      else if (event.key === 'Enter' || event.key === 'Tab') props!.command(choices[chosen]!)
      else if (event.key === 'Escape') setProps(null)
      else return false
      event.preventDefault()
      return true
    },
  }
  const isOpen = choices.length > 0
  useEffect(() => {
    const { dom } = editor.view
    if (isOpen) {
      dom.setAttribute('aria-controls', 'mail-slash')
      dom.setAttribute('aria-activedescendant', `mail-slash-${chosen}`)
      list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
    } else {
      dom.removeAttribute('aria-controls')
      dom.removeAttribute('aria-activedescendant')
    }
  }, [editor, isOpen, chosen])
  if (!props || !isOpen) return null
  const place = props.clientRect?.()
  const isAbove = (place?.bottom ?? 0) + LIST_HEIGHT > innerHeight
  const top = isAbove ? Math.max(8, (place?.top ?? 0) - LIST_HEIGHT - 6) : (place?.bottom ?? 0) + 6
  return (
    <Paper
      ref={list}
      id="mail-slash"
      role="listbox"
      aria-label="Add a block"
      // Scrolls by keys.
      tabIndex={0}
      withBorder
      shadow="md"
      className="me-slash"
      style={{ top, left: Math.max(8, Math.min(place?.left ?? 0, innerWidth - 300)) }}
    >
      {choices.map((choice, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the editor keeps the focus and handles keys
        <div
          key={choice.name}
          id={`mail-slash-${at}`}
          role="option"
          aria-selected={at === chosen}
          className="me-option"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => props.command(choice)}
        >
          <BlockIcon type={choice.type} />
          <span>
            <b>{choice.name}</b>
            <span className="me-hint">{choice.hint}</span>
          </span>
        </div>
      ))}
    </Paper>
  )
}
