import { Button, Tooltip } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'

interface ToolProps {
  label: string
  icon: Icon
  isOn: boolean
  onClick: () => void
}

/** A button above a chart. */
export function ToolButton({ label, icon: Sign, isOn, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <Button
        size="xs"
        px={8}
        variant={isOn ? 'light' : 'default'}
        aria-label={label}
        aria-pressed={isOn}
        onClick={onClick}
      >
        <Sign size={16} aria-hidden />
      </Button>
    </Tooltip>
  )
}
