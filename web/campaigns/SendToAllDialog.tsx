import './campaigns.css'
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { campaignTexts } from '../../shared/campaigns.ts'
import { useDraft } from '../access/drafts.ts'
import { useStore } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { focusFirstError } from '../ui/focusFirstError.ts'
import { Notice } from '../ui/Notice.tsx'
import { CartPreview } from '../words/CartPreview.tsx'
import type { Words } from '../words/rules.ts'
import type { CouponEdit } from '../words/step-coupon.ts'
import { WordEditor } from '../words/WordEditor.tsx'
import { AudienceCount } from './AudienceCount.tsx'
import { NotCreated } from './CampaignForm.tsx'
import { DiscountProposal } from './DiscountProposal.tsx'
import { useAudienceCount, useSendToAll, useTemplates } from './queries.ts'

const WIDTH = 860

interface Props {
  isOpen: boolean
  onClose: () => void
  onSent: () => void
}

/** B 2: 'Send to All Abandoned Carts'. */
export function SendToAllDialog({ isOpen, onClose, onSent }: Props) {
  const storeId = useStore()?.id
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Send to All Abandoned Carts"
      size={WIDTH}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && (
        <Form
          key={storeId}
          onClose={onClose}
          onSent={() => {
            onClose()
            onSent()
          }}
        />
      )}
    </Modal>
  )
}

interface Typed extends CouponEdit {
  template: string
  /** null: those of the template. */
  words: { subject: string; body: string } | null
}

const EVERYBODY = { type: 'abandoned_carts', mode: 'matching', filters: {} } as const
const begin: Typed = { template: 'default', words: null, coupon: null, couponShown: null }

function Form({ onClose, onSent }: Omit<Props, 'isOpen'>) {
  const store = useStore()
  const [typed, setTyped] = useState<Typed>(begin)
  const [isAsked, setAsked] = useState(false)
  useDraft<Typed>(`send-to-all:${store?.id}`, typed === begin ? null : typed, setTyped)
  const templates = useTemplates()
  const count = useAudienceCount({
    ...{ type: 'email', targetAudience: EVERYBODY },
    couponId: typed.coupon?.couponId ?? null,
  })
  const send = useSendToAll()
  const ready = templates.data?.quickSend.find(({ id }) => id === typed.template)
  const words = typed.words ?? { subject: ready?.subject ?? '', body: ready?.body ?? '' }
  const change = (next: Partial<Typed>) => setTyped({ ...typed, ...next })
  const changeWords = (next: Partial<Words>) => change({ words: { ...words, ...next } })
  const isBlank = words.subject.trim() === '' || words.body.trim() === ''
  const submit = () => {
    setAsked(true)
    if (isBlank) return focusFirstError('[role=dialog]')
    const where = store ? { platform: store.platform, storeId: store.store_url } : {}
    const body = { ...where, subject: words.subject, htmlContent: words.body, coupon: typed.coupon }
    send.mutate(body, { onSuccess: onSent })
  }
  const isNobody = count.data?.total === 0
  return (
    <Stack gap="md">
      <AudienceCount count={count} />
      <WordEditor
        layout="toggle"
        channel="email"
        words={words}
        coupon={{ edit: typed, onChange: change }}
        problems={{ ...(isAsked && blankProblems(words)), ...refusedOf(send.error) }}
        templates={{
          choices: templates.data?.quickSend ?? [],
          value: typed.template,
          onChoose: (template) => change({ template, words: null }),
        }}
        onWords={changeWords}
        preview={
          <CartPreview channel="email" words={words} coupon={typed.coupon} onBody={(body) => changeWords({ body })} />
        }
      >
        {typed.template === 'discount' && !typed.coupon && <DiscountProposal onCoupon={change} />}
      </WordEditor>
      <Stack gap="sm" className="campaign-foot">
        {isAsked && isBlank && (
          <Notice tone="bad" isLive>
            {campaignTexts.noWords}
          </Notice>
        )}
        {send.error && <NotCreated error={send.error} text={campaignTexts.notSentToAll} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={send.isPending} disabled={isNobody || !templates.data} onClick={submit}>
            Send to All
          </Button>
        </Group>
      </Stack>
    </Stack>
  )
}

const blankProblems = ({ subject, body }: { subject: string; body: string }) => ({
  ...(subject.trim() === '' && { subject: campaignTexts.noSubject }),
  ...(body.trim() === '' && { body: campaignTexts.noBody }),
})

function refusedOf(error: Error | null) {
  const fields = error instanceof ApiError ? error.fields : {}
  const { subject, htmlContent } = fields
  return { ...(subject && { subject }), ...(htmlContent && { body: htmlContent }) }
}
