import { Button, Group, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { Notice } from '../../core/ui/Notice.tsx'

interface Props {
  label: string
  /** Error of the last attempt. */
  problem: string | null
  /** Why it cannot be sent; null if it can. */
  obstacle: string | null
  isPending: boolean
  onSend: () => void
  onClose: () => void
}

/** On a phone the reason is far above the button, so it is repeated here. */
export function DiscountFoot({ label, problem, obstacle, isPending, onSend, onClose }: Props) {
  const obstacleId = useId()
  return (
    <Stack gap="sm" className="dialog-foot">
      {problem && (
        <Notice tone="bad" isLive>
          {problem}
        </Notice>
      )}
      {obstacle && (
        <Text id={obstacleId} fz="sm" c="dimmed" hiddenFrom="md">
          {obstacle}
        </Text>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={isPending}
          disabled={obstacle !== null}
          {...(obstacle && { 'aria-describedby': obstacleId })}
          onClick={onSend}
        >
          {label}
        </Button>
      </Group>
      <span className="visually-hidden" role="status">
        {isPending ? 'Sending…' : ''}
      </span>
    </Stack>
  )
}
