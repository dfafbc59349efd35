import { Button } from '@mantine/core'
import { IconPlayerPlayFilled } from '@tabler/icons-react'
import { useState } from 'react'
import { MAX_COUNTED, type SendingPause } from '../../../shared/delivery/sending.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { formatDateTime } from '../../core/ui/times.ts'
import { useChangePause, useSendingPause } from './queries.ts'

// Shown on every screen while all sending is paused (decision 136). Loaded on demand because it is rare.

export function SendingPausedBanner({ pausedAt, pausedBy, waiting, nextExpiresAt }: SendingPause) {
  const [isAsking, setAsking] = useState(false)
  const mayResume = useHasPermission('sending:pause')
  return (
    <>
      <span className="grow">
        <strong>All sending is paused</strong> since {formatDateTime(pausedAt)}
        {pausedBy ? ` by ${pausedBy}` : ''}. {describeWaiting(waiting, nextExpiresAt)}
        {!mayResume && ' An owner or admin can resume it.'}
      </span>
      {mayResume && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          Resume sending
        </Button>
      )}
      <ResumeDialog opened={isAsking} onClose={() => setAsking(false)} />
    </>
  )
}

/** Also opened from the store's menu. */
export function ResumeDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const waiting = useSendingPause().data?.pause?.waiting ?? 0
  const change = useChangePause('resume')
  const confirm = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        onClose()
        announce('Sending has resumed')
      },
    })
  return (
    <Confirm
      opened={opened}
      title="Resume sending?"
      confirmLabel="Resume sending"
      isBusy={change.isPending}
      problem={change.error?.message}
      onConfirm={confirm}
      onClose={onClose}
    >
      {waiting === 0
        ? 'No message became due during the pause. Flows and scheduled messages continue as planned.'
        : `${formatMessages(waiting)} became due during the pause. Each is checked again before it is sent, and expired messages are not sent.`}
    </Confirm>
  )
}

function describeWaiting(waiting: number, nextExpiresAt: string | null): string {
  if (waiting === 0 || !nextExpiresAt) return 'No message is waiting.'
  return `${formatMessages(waiting)} ${waiting === 1 ? 'waits' : 'wait'}; the first expires at ${formatDateTime(nextExpiresAt)}.`
}

function formatMessages(count: number): string {
  if (count >= MAX_COUNTED) return `More than ${formatCount(MAX_COUNTED)} messages`
  return count === 1 ? '1 message' : `${formatCount(count)} messages`
}
