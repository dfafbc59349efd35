import { Text } from '@mantine/core'
import { useState } from 'react'
import type { CampaignView } from '../../shared/campaigns.ts'
import { useStore } from '../access/queries.ts'
import { wordsOf } from '../accounts/queries.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useFirstPress } from '../ui/useFirstPress.ts'
import { AudienceCount } from './AudienceCount.tsx'
import { type Confirmation, findConfirmation } from './confirmations.ts'
import { type CampaignCommand, useAudienceCount, useCampaignAction } from './queries.ts'
import { actionTexts, type CampaignAction } from './rules.ts'

export interface ActionResult {
  tone: 'good' | 'bad'
  text: string
  /** The campaign that was sent; absent if none was. */
  sentId?: string
}

/** Actions of a row or page, run at once or after a confirmation. `onSaid` receives the result. */
export function useCampaignActions(
  onSaid: (said: ActionResult | null) => void,
  onDone: (deed: CampaignAction) => void = () => {},
) {
  const [asked, setAsked] = useState<(CampaignCommand & { question: Confirmation }) | null>(null)
  const zone = useStore()?.timeZone ?? 'UTC'
  const doing = useCampaignAction()
  const tell = createResultHandlers(onSaid, onDone)
  const act = (deed: CampaignAction, campaign: CampaignView) => {
    const question = findConfirmation(deed, campaign, zone, Date.now())
    if (question) setAsked({ deed, campaign, question })
    else doing.mutate({ deed, campaign }, tell(deed, campaign.id))
  }
  const close = () => setAsked(null)
  const dialog = asked && (
    <ConfirmAction wish={asked} question={asked.question} tell={tell(asked.deed, asked.campaign.id)} onClose={close} />
  )
  return { act, dialog, isBusy: doing.isPending }
}

type ResultHandlers = ReturnType<ReturnType<typeof createResultHandlers>>

/** B 8: the server's message, else the specification's. */
const createResultHandlers =
  (onSaid: (said: ActionResult) => void, onDone: (deed: CampaignAction) => void) =>
  (deed: CampaignAction, id: string) => ({
    onSuccess: () => {
      const isSent = deed === 'send' || deed === 'send_now'
      onSaid({ tone: 'good', text: actionTexts[deed].done, ...(isSent && { sentId: id }) })
      onDone(deed)
    },
    onError: (error: Error) => onSaid({ tone: 'bad', text: wordsOf(error, actionTexts[deed].failed) }),
  })

interface AskProps {
  wish: CampaignCommand
  question: Confirmation
  tell: ResultHandlers
  onClose: () => void
}

/** One idempotency key per confirmation, so a double click sends one request (D9). */
function ConfirmAction({ wish: { deed, campaign }, question, tell, onClose }: AskProps) {
  const doing = useCampaignAction()
  const isFirst = useFirstPress()
  const { title, label, text, isDangerous } = question
  const { type, targetAudience, content, id } = campaign
  const isCounted = text === null
  const words = type === 'sms' && { body: content.body }
  const couponId = content.coupon?.couponId ?? null
  const count = useAudienceCount(isCounted ? { type, targetAudience, campaignId: id, couponId, ...words } : null, {
    isFresh: true,
  })
  return (
    <Confirm
      opened
      title={title}
      confirmLabel={label}
      isDangerous={isDangerous}
      isBusy={doing.isPending}
      size={text === null ? 'lg' : 'md'}
      isDisabled={isCounted && count.data?.total === 0}
      onConfirm={() => {
        if (isFirst()) doing.mutate({ deed, campaign }, { ...tell, onSettled: onClose })
      }}
      onClose={onClose}
    >
      {text === null ? <AudienceCount count={count} /> : <Text>{text}</Text>}
    </Confirm>
  )
}
