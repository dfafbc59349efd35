import { ActionIcon, Button, Group, Popover, SegmentedControl } from '@mantine/core'
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBold,
  IconItalic,
  IconLink,
  IconPlus,
  IconUnderline,
} from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { redo, redoDepth, undo, undoDepth } from '@tiptap/pm/history'
import { useEditorState } from '@tiptap/react'
import { type ReactNode, useState } from 'react'
import { AddMenu } from './AddMenu.tsx'
import { addBlock, insertValue } from './actions.ts'
import { isHref } from './fields.ts'
import { ValueMenu } from './InlinesField.tsx'
import { LinkField } from './LinkField.tsx'

export const viewNames = ['edit', 'desktop', 'phone', 'dark', 'text'] as const
export type View = (typeof viewNames)[number]
const viewLabels: Readonly<Record<View, string>> = {
  edit: 'Edit',
  desktop: 'Desktop',
  phone: 'Phone',
  dark: 'Dark',
  text: 'Text',
}

export const ViewSwitch = ({ value, onChange }: { value: View; onChange: (view: View) => void }) => (
  <SegmentedControl
    size="xs"
    aria-label="View"
    value={value}
    onChange={(view) => onChange(view as View)}
    data={viewNames.map((name) => ({ value: name, label: viewLabels[name] }))}
  />
)

interface ToolProps {
  label: string
  keys?: string
  isOn?: boolean
  isDisabled?: boolean
  onPress: () => void
  children: ReactNode
}

function Tool({ label, keys, isOn, isDisabled = false, onPress, children }: ToolProps) {
  return (
    <ActionIcon
      variant={isOn ? 'light' : 'subtle'}
      color={isOn ? 'brand' : 'gray'}
      size={34}
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      {...(isOn !== undefined && { 'aria-pressed': isOn })}
      disabled={isDisabled}
      // The text keeps its selection.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {children}
    </ActionIcon>
  )
}

export function UndoTools({ editor }: { editor: Editor }) {
  const { canUndo, canRedo } = useEditorState({
    editor,
    selector: ({ editor: { state } }) => ({ canUndo: undoDepth(state) > 0, canRedo: redoDepth(state) > 0 }),
  })
  const run = (command: typeof undo) => {
    command(editor.state, editor.view.dispatch)
  }
  return (
    <Group gap={2} wrap="nowrap">
      <Tool label="Undo" keys="Ctrl+Z" isDisabled={!canUndo} onPress={() => run(undo)}>
        <IconArrowBackUp size={18} aria-hidden />
      </Tool>
      <Tool label="Redo" keys="Ctrl+Shift+Z" isDisabled={!canRedo} onPress={() => run(redo)}>
        <IconArrowForwardUp size={18} aria-hidden />
      </Tool>
    </Group>
  )
}

/** For the selected text: marks, link and values. */
export function TextTools({ editor }: { editor: Editor }) {
  const state = useEditorState({
    editor,
    selector: ({ editor: each }) => ({
      isText: each.state.selection.$from.parent.isTextblock,
      bold: each.isActive('bold'),
      italic: each.isActive('italic'),
      underline: each.isActive('underline'),
    }),
  })
  const marks = [
    { name: 'bold', label: 'Bold', keys: 'Ctrl+B', icon: IconBold },
    { name: 'italic', label: 'Italic', keys: 'Ctrl+I', icon: IconItalic },
    { name: 'underline', label: 'Underline', keys: 'Ctrl+U', icon: IconUnderline },
  ] as const
  return (
    <Group gap={2} wrap="nowrap">
      {marks.map(({ name, label, keys, icon: Icon }) => (
        <Tool
          key={name}
          label={label}
          keys={keys}
          isOn={state[name]}
          isDisabled={!state.isText}
          onPress={() => editor.chain().focus().toggleMark(name).run()}
        >
          <Icon size={18} aria-hidden />
        </Tool>
      ))}
      <LinkTool editor={editor} isText={state.isText} />
      <ValueMenu label="Insert value" isDisabled={!state.isText} onChoose={(name) => insertValue(editor, name)} />
      <AddMenu onChoose={(choice) => addBlock(editor, choice)}>
        <Button variant="default" size="compact-sm" ml={6} leftSection={<IconPlus size={15} aria-hidden />}>
          Add block
        </Button>
      </AddMenu>
    </Group>
  )
}

function LinkTool({ editor, isText }: { editor: Editor; isText: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const [href, setHref] = useState('cart')
  const { isLinked, isEmpty } = useEditorState({
    editor,
    selector: ({ editor: each }) => ({ isLinked: each.isActive('link'), isEmpty: each.state.selection.empty }),
  })
  const open = () => {
    setHref((editor.getAttributes('link').href as string | undefined) ?? 'cart')
    setOpen(true)
  }
  const apply = (chain: ReturnType<Editor['chain']>) => {
    chain.run()
    setOpen(false)
  }
  const ofText = () => editor.chain().focus().extendMarkRange('link')
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom" shadow="md" width={300} zIndex={400} trapFocus>
      <Popover.Target>
        <ActionIcon
          variant={isLinked ? 'light' : 'subtle'}
          color={isLinked ? 'brand' : 'gray'}
          size={34}
          aria-label="Link"
          title={isEmpty && !isLinked ? 'Link: select a text first' : 'Link'}
          aria-pressed={isLinked}
          disabled={!isText || (isEmpty && !isLinked)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={open}
        >
          <IconLink size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <LinkField label="Leads to" value={href} onChange={(next) => setHref(next ?? 'cart')} />
        <Group gap="xs" mt="sm">
          <Button size="compact-sm" disabled={!isHref(href)} onClick={() => apply(ofText().setMark('link', { href }))}>
            Apply
          </Button>
          {isLinked && (
            <Button variant="default" size="compact-sm" onClick={() => apply(ofText().unsetMark('link'))}>
              Remove link
            </Button>
          )}
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
