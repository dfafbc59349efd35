import { Button, Group, Modal, Text } from '@mantine/core'
import { useDebouncedCount } from './AudienceStep.tsx'
import type { Draft } from './rules.ts'
import { describeRecipients, tomorrowText } from './send-time.ts'

interface Props {
  draft: Draft
  campaignId?: string | undefined
  onNow: () => void
  onTomorrow: () => void
  onClose: () => void
}

/** Today's send time has passed. */
export function SendNowOrTomorrow({ draft, campaignId, onNow, onTomorrow, onClose }: Props) {
  const count = useDebouncedCount(draft, campaignId)
  const whom = describeRecipients(count?.data)
  return (
    <Modal
      opened
      onClose={onClose}
      title={whom === null ? 'Send it now?' : `Send to ${whom} now?`}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text mb="lg">
        {draft.isNow ? 'Sending starts when you press Send now.' : 'The time you chose for today has passed.'}
        {draft.schedule.frequency !== 'once' && ' Later runs keep their time.'}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onTomorrow}>
          {tomorrowText}
        </Button>
        <Button onClick={onNow}>Send now</Button>
      </Group>
    </Modal>
  )
}
