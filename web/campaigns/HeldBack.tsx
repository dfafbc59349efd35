import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { CampaignReport } from '../../shared/campaign-report.ts'
import type { CampaignView } from '../../shared/campaigns.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { useCanSend } from '../carts/useTextAction.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { formatCount, formatCounted } from '../ui/format.ts'
import { describeSent } from './held-messages.ts'
import { useDropHeld } from './report-queries.ts'
import { useStoreClock } from './StoreTime.tsx'

interface Props {
  campaign: CampaignView
  report: CampaignReport
}

/** Counts of sent and held-back messages, with an action to drop the held ones. */
export function HeldBack({ campaign, report }: Props) {
  const text = describeSent(report, campaign.schedule, useStoreClock())
  const mayWrite = useCanSend()
  const { held } = report
  return (
    <Stack gap="sm" mt="md" align="flex-start">
      {text && <Text fz="sm">{text}</Text>}
      {held && mayWrite && <Drop id={campaign.id} count={held.count} />}
    </Stack>
  )
}

function Drop({ id, count }: { id: string; count: number }) {
  const [isAsking, setAsking] = useState(false)
  const drop = useDropHeld(id)
  const confirm = () =>
    drop.mutate(undefined, {
      onSuccess: ({ dropped }) => {
        setAsking(false)
        announce(`${formatCounted(dropped, 'message')} dropped.`)
      },
    })
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
        Drop the held back
      </Button>
      <Confirm
        opened={isAsking}
        title={`Drop the ${formatCount(count)} held back?`}
        confirmLabel="Drop"
        isDangerous
        isBusy={drop.isPending}
        problem={drop.error && getErrorText(drop.error, BROKEN)}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        They do not get this campaign any more. What has been sent, or waits for its time, stays as it is.
      </Confirm>
    </>
  )
}
