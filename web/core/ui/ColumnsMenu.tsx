import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'

interface Props<Id extends string> {
  /** Optional columns. */
  optional: readonly { id: Id; label: string }[]
  visible: readonly { id: string }[]
  toggle: (id: Id) => void
  reset: () => void
}

/** Chooses the table's columns; stored in this browser. */
export function ColumnsMenu<Id extends string>({ optional, visible, toggle, reset }: Props<Id>) {
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {optional.map(({ id, label }) => (
            <Checkbox
              key={id}
              label={label}
              checked={visible.some((column) => column.id === id)}
              onChange={() => toggle(id)}
            />
          ))}
          <Button variant="subtle" size="compact-sm" onClick={reset}>
            Standard columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
