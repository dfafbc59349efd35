import { Text } from '@mantine/core'
import { useState } from 'react'
import { type CampaignView, campaignTexts } from '../../shared/campaigns.ts'
import { wordsOf } from '../accounts/queries.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { AudienceCount } from './AudienceCount.tsx'
import { useAudienceCount, useDeed, type Wish } from './queries.ts'
import { type Deed, deedTexts } from './rules.ts'

export interface Said {
  tone: 'good' | 'bad'
  text: string
}

/** The buttons of a row and of a page: done at once, or asked about first. `onSaid` is told how it went. */
export function useDeeds(onSaid: (said: Said | null) => void, onDone: (deed: Deed) => void = () => {}) {
  const [asked, setAsked] = useState<(Wish & { deed: 'delete' | 'send' | 'send_now' }) | null>(null)
  const doing = useDeed()
  const tell = toldBy(onSaid, onDone)
  const act = (deed: Deed, campaign: CampaignView) => {
    if (deed === 'delete' || deed === 'send' || deed === 'send_now') setAsked({ deed, campaign })
    else doing.mutate({ deed, campaign }, tell(deed))
  }
  const close = () => setAsked(null)
  const dialog = asked && <AskFirst wish={asked} tell={tell(asked.deed)} onClose={close} />
  return { act, dialog, isBusy: doing.isPending }
}

type Tell = ReturnType<ReturnType<typeof toldBy>>

/** B 8: the server's words, else the specification's. */
const toldBy = (onSaid: (said: Said) => void, onDone: (deed: Deed) => void) => (deed: Deed) => ({
  onSuccess: () => {
    onSaid({ tone: 'good', text: deedTexts[deed].done })
    onDone(deed)
  },
  onError: (error: Error) => onSaid({ tone: 'bad', text: wordsOf(error, deedTexts[deed].failed) }),
})

interface AskProps {
  wish: Wish & { deed: 'delete' | 'send' | 'send_now' }
  tell: Tell
  onClose: () => void
}

/** One question, one request: pressing twice is the same request (D9). */
function AskFirst({ wish, tell, onClose }: AskProps) {
  const { deed, campaign } = wish
  const doing = useDeed()
  const isDelete = deed === 'delete'
  const { type, targetAudience, content, id } = campaign
  const isCounted = !isDelete && type !== 'push'
  const words = type === 'sms' && { body: content.body }
  const couponId = content.coupon?.couponId ?? null
  const count = useAudienceCount(isCounted ? { type, targetAudience, campaignId: id, couponId, ...words } : null)
  return (
    <Confirm
      opened
      title={isDelete ? `Delete ${campaign.name}?` : `Send ${campaign.name} now?`}
      confirmLabel={isDelete ? 'Delete' : 'Send'}
      isDangerous={isDelete}
      isBusy={doing.isPending}
      size={isDelete ? 'md' : 'lg'}
      onConfirm={() => doing.mutate(wish, { ...tell, onSettled: onClose })}
      onClose={onClose}
    >
      {isDelete ? <Text>{campaignTexts.deleteQuestion}</Text> : <AudienceCount count={count} />}
    </Confirm>
  )
}
