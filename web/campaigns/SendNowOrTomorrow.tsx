import { Button, Group, Modal, Text } from '@mantine/core'
import { counted } from '../ui/format.ts'
import { useCountOf } from './AudienceStep.tsx'
import type { Draft } from './rules.ts'

interface Props {
  draft: Draft
  campaignId?: string | undefined
  onNow: () => void
  onTomorrow: () => void
  onClose: () => void
}

/** The time of today has gone by (area decision 124). */
export function SendNowOrTomorrow({ draft, campaignId, onNow, onTomorrow, onClose }: Props) {
  const count = useCountOf(draft, campaignId)
  const people = count?.data?.total ?? draft.emails.length
  const whom = people === 1 ? '1 person' : counted(people, 'person', 'people')
  return (
    <Modal
      opened
      onClose={onClose}
      title={people === 0 ? 'Send it now?' : `Send to ${whom} now?`}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text mb="lg">
        The time you chose for today has passed.{draft.schedule.frequency !== 'once' && ' Later runs keep their time.'}
      </Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onTomorrow}>
          Tomorrow 10:00
        </Button>
        <Button onClick={onNow}>Send now</Button>
      </Group>
    </Modal>
  )
}
