import { CloseButton, Group } from '@mantine/core'
import { Link } from 'react-router'
import { Notice } from '../ui/Notice.tsx'
import type { Said } from './deeds.tsx'
import { sentText } from './held.ts'
import { useCampaign } from './queries.ts'
import { useReport } from './report-queries.ts'
import { useStoreClock } from './StoreTime.tsx'

/** What was done (B 2); of what was sent, who gets it and who is held back. */
export const Banner = ({ said, onDismiss }: { said: Said; onDismiss: () => void }) => (
  <Notice tone={said.tone} isLive>
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <span>
        {said.text}
        {said.sentId && <SentTo id={said.sentId} />}
      </span>
      <CloseButton size="sm" c="inherit" aria-label="Dismiss" onClick={onDismiss} />
    </Group>
  </Notice>
)

/** Once its messages have been made. */
function SentTo({ id }: { id: string }) {
  const campaign = useCampaign(id)
  const report = useReport(id)
  const clock = useStoreClock()
  const isPlanned = report.data?.runs.every(({ plannedAt }) => plannedAt !== null)
  const text = campaign.data && report.data && isPlanned ? sentText(report.data, campaign.data.schedule, clock) : null
  return (
    <>
      {text && ` ${text}`} <Link to={`/campaigns/${id}?tab=report`}>See the report</Link>
    </>
  )
}
