import { Button, CloseButton, Group } from '@mantine/core'
import { Link } from 'react-router'
import { deletions, useIsUndoable } from '../../core/api/deletions.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import type { ActionResult } from './actions.tsx'
import { describeSent } from './held-messages.ts'
import { useCampaign } from './queries.ts'
import { useReport } from './report-queries.ts'
import { useStoreClock } from './StoreTime.tsx'

/** Result of the last action (B 2). After sending it also shows how many get the message and how many are on hold. */
export const Banner = ({ result, onDismiss }: { result: ActionResult; onDismiss: () => void }) => (
  <Notice tone={result.tone} isLive>
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <span>
        {result.text}
        {result.sentId && <SentTo id={result.sentId} />}
        {result.deletedId && <Undo id={result.deletedId} onUndo={onDismiss} />}
      </span>
      <CloseButton size="sm" c="inherit" aria-label="Dismiss" onClick={onDismiss} />
    </Group>
  </Notice>
)

function Undo({ id, onUndo }: { id: string; onUndo: () => void }) {
  const isUndoable = useIsUndoable(id)
  const undo = () => {
    deletions.undo(id)
    onUndo()
  }
  return (
    isUndoable && (
      <Button size="compact-sm" variant="subtle" ml="xs" onClick={undo}>
        Undo
      </Button>
    )
  )
}

/** Shown once the campaign's messages exist. */
function SentTo({ id }: { id: string }) {
  const campaign = useCampaign(id)
  const report = useReport(id)
  const clock = useStoreClock()
  const isPlanned = report.data?.runs.every(({ plannedAt }) => plannedAt !== null)
  const text =
    campaign.data && report.data && isPlanned ? describeSent(report.data, campaign.data.schedule, clock) : null
  return (
    <>
      {text && ` ${text}`} <Link to={`/campaigns/${id}?tab=report`}>See the report</Link>
    </>
  )
}
