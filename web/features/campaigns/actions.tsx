import { Text } from '@mantine/core'
import { useState } from 'react'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { useStore } from '../../core/access/queries.ts'
import { getErrorText } from '../../core/api/api.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useFirstPress } from '../../core/ui/useFirstPress.ts'
import { AudienceCount } from './AudienceCount.tsx'
import { type Confirmation, findConfirmation } from './confirmations.ts'
import { buildDeletedResult, useDeleteLater } from './deleting.ts'
import { type CampaignCommand, useAudienceCount, useCampaignAction } from './queries.ts'
import { actionTexts, type CampaignAction } from './rules.ts'

export interface ActionResult {
  tone: 'good' | 'bad'
  text: string
  /** The campaign that was sent; absent if none was. */
  sentId?: string
  /** The deleted campaign, which can be restored for some seconds. */
  deletedId?: string
}

/** Actions of a row or page, run at once or after a confirmation. `onResult` receives the result. */
export function useCampaignActions(
  onResult: (result: ActionResult | null) => void,
  onDone: (action: CampaignAction) => void = () => {},
) {
  const [pending, setPending] = useState<(CampaignCommand & { question: Confirmation }) | null>(null)
  const zone = useStore()?.timeZone ?? 'UTC'
  const mutation = useCampaignAction()
  const handlers = createResultHandlers(onResult, onDone)
  const deleteLater = useDeleteLater()
  const close = () => setPending(null)
  const deleteWithUndo = (campaign: CampaignView) => {
    close()
    deleteLater(campaign)
    onResult(buildDeletedResult(campaign.id))
    onDone('delete')
  }
  const act = (action: CampaignAction, campaign: CampaignView) => {
    const question = findConfirmation(action, campaign, zone, Date.now())
    if (question) setPending({ action, campaign, question })
    else mutation.mutate({ action, campaign }, handlers(action, campaign.id))
  }
  const dialog = pending && (
    <ConfirmAction
      command={pending}
      question={pending.question}
      handlers={handlers(pending.action, pending.campaign.id)}
      {...(isUndoable(pending) && { onDelete: () => deleteWithUndo(pending.campaign) })}
      onClose={close}
    />
  )
  return { act, dialog, isBusy: mutation.isPending }
}

/** An active campaign stops at once: it would send more until the offer to undo ends. */
const isUndoable = ({ action, campaign }: CampaignCommand) => action === 'delete' && campaign.status !== 'active'

type ResultHandlers = ReturnType<ReturnType<typeof createResultHandlers>>

/** B 8: the server's message, else the specification's. */
const createResultHandlers =
  (onResult: (result: ActionResult) => void, onDone: (action: CampaignAction) => void) =>
  (action: CampaignAction, id: string) => ({
    onSuccess: () => {
      const isSent = action === 'send' || action === 'send_now'
      onResult({ tone: 'good', text: actionTexts[action].done, ...(isSent && { sentId: id }) })
      onDone(action)
    },
    onError: (error: Error) => onResult({ tone: 'bad', text: getErrorText(error, actionTexts[action].failed) }),
  })

interface AskProps {
  command: CampaignCommand
  question: Confirmation
  handlers: ResultHandlers
  /** Replaces the request. */
  onDelete?: () => void
  onClose: () => void
}

/** One idempotency key per confirmation, so a double click sends one request (D9). */
function ConfirmAction({ command: { action, campaign }, question, handlers, onDelete, onClose }: AskProps) {
  const mutation = useCampaignAction()
  const isFirst = useFirstPress()
  const { title, label, text, isDangerous } = question
  const { type, targetAudience, content, id } = campaign
  const isCounted = text === null
  const smsText = type === 'sms' && { body: content.body }
  const couponId = content.coupon?.couponId ?? null
  const count = useAudienceCount(isCounted ? { type, targetAudience, campaignId: id, couponId, ...smsText } : null, {
    isFresh: true,
  })
  return (
    <Confirm
      opened
      title={title}
      confirmLabel={label}
      isDangerous={isDangerous}
      isBusy={mutation.isPending}
      size={text === null ? 'lg' : 'md'}
      isDisabled={isCounted && count.data?.total === 0}
      onConfirm={() => {
        if (!isFirst()) return
        if (onDelete) onDelete()
        else mutation.mutate({ action, campaign }, { ...handlers, onSettled: onClose })
      }}
      onClose={onClose}
    >
      {text === null ? <AudienceCount count={count} /> : <Text>{text}</Text>}
    </Confirm>
  )
}
