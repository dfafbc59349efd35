import { Text } from '@mantine/core'
import { useState } from 'react'
import type { CampaignView } from '../../shared/campaigns.ts'
import { useStore } from '../access/queries.ts'
import { wordsOf } from '../accounts/queries.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useFirstPress } from '../ui/useFirstPress.ts'
import { AudienceCount } from './AudienceCount.tsx'
import { useAudienceCount, useDeed, type Wish } from './queries.ts'
import { type Question, questionOf } from './questions.ts'
import { type Deed, deedTexts } from './rules.ts'

export interface Said {
  tone: 'good' | 'bad'
  text: string
  /** The campaign that was sent; absent if none was. */
  sentId?: string
}

/** Actions of a row or page, run at once or after a confirmation. `onSaid` receives the result. */
export function useDeeds(onSaid: (said: Said | null) => void, onDone: (deed: Deed) => void = () => {}) {
  const [asked, setAsked] = useState<(Wish & { question: Question }) | null>(null)
  const zone = useStore()?.timeZone ?? 'UTC'
  const doing = useDeed()
  const tell = toldBy(onSaid, onDone)
  const act = (deed: Deed, campaign: CampaignView) => {
    const question = questionOf(deed, campaign, zone, Date.now())
    if (question) setAsked({ deed, campaign, question })
    else doing.mutate({ deed, campaign }, tell(deed, campaign.id))
  }
  const close = () => setAsked(null)
  const dialog = asked && (
    <AskFirst wish={asked} question={asked.question} tell={tell(asked.deed, asked.campaign.id)} onClose={close} />
  )
  return { act, dialog, isBusy: doing.isPending }
}

type Tell = ReturnType<ReturnType<typeof toldBy>>

/** B 8: the server's message, else the specification's. */
const toldBy = (onSaid: (said: Said) => void, onDone: (deed: Deed) => void) => (deed: Deed, id: string) => ({
  onSuccess: () => {
    const isSent = deed === 'send' || deed === 'send_now'
    onSaid({ tone: 'good', text: deedTexts[deed].done, ...(isSent && { sentId: id }) })
    onDone(deed)
  },
  onError: (error: Error) => onSaid({ tone: 'bad', text: wordsOf(error, deedTexts[deed].failed) }),
})

interface AskProps {
  wish: Wish
  question: Question
  tell: Tell
  onClose: () => void
}

/** One idempotency key per confirmation, so a double click sends one request (D9). */
function AskFirst({ wish: { deed, campaign }, question, tell, onClose }: AskProps) {
  const doing = useDeed()
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
