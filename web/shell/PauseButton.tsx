import { Button } from '@mantine/core'
import { IconPlayerPauseFilled } from '@tabler/icons-react'
import { useState } from 'react'
import { useHasPermission, useStore } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useChangePause, useSendingPause } from './queries.ts'

// Pause all sending (decision 136): the button on every screen. The banner has its own file.

export function PauseButton() {
  const [isAsking, setAsking] = useState(false)
  const store = useStore()
  const pause = useSendingPause()
  const change = useChangePause('pause')
  const mayPause = useHasPermission('sending:pause')
  if (!store || !mayPause || !pause.data || pause.data.pause) return null
  const confirm = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        setAsking(false)
        announce('All sending is paused')
      },
    })
  return (
    <>
      <Button
        size="compact-sm"
        color="red"
        variant="outline"
        className="pause-button"
        title="Pause all sending"
        aria-label="Pause all sending"
        onClick={() => setAsking(true)}
      >
        <IconPlayerPauseFilled size={14} aria-hidden />
        <span className="pause-label">Pause all sending</span>
      </Button>
      <Confirm
        opened={isAsking}
        title="Pause all sending?"
        confirmLabel="Pause all sending"
        isDangerous
        isBusy={change.isPending}
        problem={change.error?.message}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {store.name || store.store_url} sends no email, SMS or WhatsApp messages until you resume. This includes flows,
        scheduled messages and manual messages. Carts are still captured, and you can still send test messages to
        yourself. Messages that expire in the meantime (24 hours for a flow) are not sent later.
      </Confirm>
    </>
  )
}
