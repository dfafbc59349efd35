import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { deleteBlock, findBlock, listOutline, moveBlock, type OutlineEntry, selectBlock } from './actions.ts'

interface Props {
  editor: Editor
  say: (text: string) => void
  onSelect: () => void
}

/** Every block in order: the way through the mail without a mouse. */
export function Outline({ editor, say, onSelect }: Props) {
  const { entries, selected } = useEditorState({
    editor,
    selector: ({ editor: { state } }) => ({ entries: listOutline(state), selected: findBlock(state)?.pos }),
    equalityFn: (a, b) => a.selected === b?.selected && isSameOutline(a.entries, b?.entries),
  })
  const move = (entry: OutlineEntry, by: -1 | 1) => {
    const text = moveBlock(editor, by, entry)
    if (text) say(text)
  }
  return (
    <Stack component="ol" gap={2} className="me-outline" aria-label="Outline">
      {entries.map((entry) => {
        const { key, pos, name, quote, level, isMovable } = entry
        const title = quote ? `${name}: ${quote}` : name
        if (!isMovable && name !== 'Footer') {
          return (
            <li key={key} className="me-outline-band">
              {name}
            </li>
          )
        }
        return (
          <li key={key} data-selected={pos === selected || undefined} style={{ paddingInlineStart: level * 10 }}>
            <Group gap={2} wrap="nowrap">
              <button
                type="button"
                className="me-outline-name"
                aria-current={pos === selected || undefined}
                onClick={() => {
                  selectBlock(editor, pos)
                  onSelect()
                }}
              >
                {name}
                {quote && (
                  <Text span fz="xs" c="dimmed" truncate>
                    {quote}
                  </Text>
                )}
              </button>
              {isMovable && (
                <>
                  <Tool label={`Move up ${title}`} icon={IconArrowUp} onClick={() => move(entry, -1)} />
                  <Tool label={`Move down ${title}`} icon={IconArrowDown} onClick={() => move(entry, 1)} />
                  <Tool
                    label={`Delete ${title}`}
                    icon={IconTrash}
                    onClick={() => {
                      deleteBlock(editor, entry)
                      say(`${name} deleted`)
                    }}
                  />
                </>
              )}
            </Group>
          </li>
        )
      })}
    </Stack>
  )
}

const isSameOutline = (a: readonly OutlineEntry[], b: readonly OutlineEntry[] | undefined): boolean =>
  a.length === b?.length && a.every((entry, at) => entry.pos === b[at]!.pos && entry.node === b[at]!.node)

function Tool({ label, icon: Icon, onClick }: { label: string; icon: typeof IconTrash; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={28} aria-label={label} title={label} onClick={onClick}>
      <Icon size={15} aria-hidden />
    </ActionIcon>
  )
}
