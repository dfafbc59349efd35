import { ActionIcon, Input, Menu } from '@mantine/core'
import { IconBraces } from '@tabler/icons-react'
import { EditorContent, useEditor } from '@tiptap/react'
import { useEffect, useId, useRef } from 'react'
import { type Inline, type ValueName, valueNames } from '../../../shared/messages/mail-document.ts'
import { insertValue } from './actions.ts'
import { type EditorNode, inlinesFromEditor, inlinesToEditor } from './convert.ts'
import { valueLabels } from './fields.ts'
import type { LookSource } from './look.ts'
import { createLineSchema } from './schema.ts'

interface Props {
  label: string
  description?: string
  error?: string | undefined
  value: readonly Inline[]
  look: LookSource
  onChange: (value: Inline[]) => void
}

const toLine = (value: readonly Inline[]): EditorNode => ({
  type: 'doc',
  content: [
    {
      type: 'line',
      content: inlinesToEditor(value).flatMap(({ marks: _, ...node }) => (node.type === 'break' ? [] : [node])),
    },
  ],
})

/** One line of text with values, as a subject. */
export function InlinesField({ label, description, error, value, look, onChange }: Props) {
  const id = useId()
  const latest = useRef(onChange)
  latest.current = onChange
  const emitted = useRef(JSON.stringify(value))
  const editor = useEditor({
    content: toLine(value),
    extensions: createLineSchema(look),
    editorProps: {
      attributes: {
        role: 'textbox',
        'aria-label': label,
        class: 'me-line',
        'data-mantine-stop-propagation': 'true',
        ...(description && { 'aria-describedby': `${id}-hint` }),
      },
      transformPastedText: (text) => text.replaceAll(/\s+/g, ' '),
    },
    onUpdate: ({ editor: { state } }) => {
      const line = state.doc.firstChild!.toJSON() as EditorNode
      const next = inlinesFromEditor(line.content)
      emitted.current = JSON.stringify(next)
      latest.current(next)
    },
  })
  const shown = JSON.stringify(value)
  // Changed from outside, such as by undo.
  useEffect(() => {
    if (shown === emitted.current) return
    emitted.current = shown
    editor.commands.setContent(toLine(JSON.parse(shown) as Inline[]), { emitUpdate: false })
  }, [editor, shown])
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      {description && (
        <Input.Description id={`${id}-hint`} mb={4}>
          {description}
        </Input.Description>
      )}
      <div className="me-field" data-error={error !== undefined || undefined}>
        <EditorContent editor={editor} />
        <ValueMenu
          label={`Insert a value into ${label.toLowerCase()}`}
          isLine
          onChoose={(name) => insertValue(editor, name)}
        />
      </div>
    </Input.Wrapper>
  )
}

interface ValueMenuProps {
  label: string
  /** A link to the cart belongs into a text only. */
  isLine?: boolean
  isDisabled?: boolean
  onChoose: (name: ValueName) => void
}

export function ValueMenu({ label, isLine = false, isDisabled = false, onChoose }: ValueMenuProps) {
  return (
    <Menu position="bottom-end" shadow="md" width={250} zIndex={400} returnFocus={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} title={label} disabled={isDisabled}>
          <IconBraces size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className="me-menu">
        {valueNames
          .filter((name) => !(isLine && name === 'checkout_link'))
          .map((name) => (
            <Menu.Item key={name} onClick={() => onChoose(name)}>
              {valueLabels[name].label}
              <span className="me-hint">{valueLabels[name].hint}</span>
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
