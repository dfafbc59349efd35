import { UnreachedShop } from '../coupons/UnreachedShop.tsx'
import './campaigns.css'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { campaignTexts, quickTemplateIds } from '../../../shared/marketing/campaigns.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useHasPermission, useStore } from '../../core/access/queries.ts'
import { ApiError, getErrorText } from '../../core/api/api.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useCreateCoupon } from '../../kits/coupons/queries.ts'
import { createQuickCode, createQuickCoupon } from '../../kits/coupons/rules.ts'
import { MailDesign } from '../../kits/mail-editor/MailDesign.tsx'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import { CartPreview } from '../../kits/message-editor/CartPreview.tsx'
import type { Words } from '../../kits/message-editor/rules.ts'
import type { CouponEdit } from '../../kits/message-editor/step-coupon.ts'
import { applyCoupon, finished } from '../../kits/message-editor/step-coupon.ts'
import { WordEditor } from '../../kits/message-editor/WordEditor.tsx'
import { drawBelow } from '../coupons/QuickCreate.tsx'
import { ConfirmToSend } from '../stores/ConfirmToSend.tsx'
import { AudienceCount, Reasons } from './AudienceCount.tsx'
import { NotCreated } from './CampaignForm.tsx'
import { confirmSendToAll } from './confirmations.ts'
import { type CountBody, useAudienceCount, useSendToAll, useTemplates } from './queries.ts'

const WIDTH = 860

interface Props {
  isOpen: boolean
  onClose: () => void
  onSent: (campaignId: string) => void
}

/** B 2: 'Send to All Abandoned Carts'. */
export function SendToAllDialog({ isOpen, onClose, onSent }: Props) {
  const storeId = useStore()?.id
  const [isConfirming, setConfirming] = useState(false)
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Send to All Abandoned Carts"
      size={WIDTH}
      closeOnClickOutside={false}
      closeOnEscape={!isConfirming}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && (
        <Form
          key={storeId}
          isConfirming={isConfirming}
          onConfirming={setConfirming}
          onClose={onClose}
          onSent={(campaignId) => {
            onClose()
            onSent(campaignId)
          }}
        />
      )}
    </Modal>
  )
}

interface MailContent extends Words {
  design?: MailDocument
}

interface TypedContent extends CouponEdit {
  template: string
  /** null: the template's texts. */
  content: MailContent | null
}

const EVERYBODY = { type: 'abandoned_carts', mode: 'matching', filters: {} } as const
const begin: TypedContent = { template: 'default', content: null, coupon: null, couponShown: null }

interface FormProps extends Omit<Props, 'isOpen'> {
  isConfirming: boolean
  onConfirming: (isConfirming: boolean) => void
}

function Form({ isConfirming, onConfirming, onClose, onSent }: FormProps) {
  const store = useStore()
  const [typed, setTyped] = useState<TypedContent>(begin)
  const [isSubmitted, setSubmitted] = useState(false)
  useDraft<TypedContent>(`send-to-all:${store?.id}`, typed === begin ? null : typed, setTyped)
  const templates = useTemplates()
  const counted = { type: 'email', targetAudience: EVERYBODY, couponId: typed.coupon?.couponId ?? null } as const
  const count = useAudienceCount(counted, { isFresh: true })
  const send = useSendToAll()
  const ready = templates.data?.quickSend.find(({ id }) => id === typed.template)
  const content: MailContent = typed.content ?? { subject: ready?.subject ?? '', body: ready?.body ?? '' }
  const change = (next: Partial<TypedContent>) => setTyped({ ...typed, ...next })
  const changeContent = (next: Partial<Words>) =>
    change({ content: { subject: content.subject, body: content.body, ...next } })
  const { design } = content
  const isOwn = isDesigned(design)
  const isBlank = isOwn
    ? findMailProblems(design).length > 0
    : content.subject.trim() === '' || content.body.trim() === ''
  const ask = () => {
    setSubmitted(true)
    if (isBlank) focusFirstError('[role=dialog]')
    else onConfirming(true)
  }
  const submit = () => {
    const where = store ? { platform: store.platform, storeId: store.store_url } : {}
    const template = quickTemplateIds.find((id) => id === typed.template)
    const body = {
      ...where,
      ...(isOwn ? { design } : { subject: content.subject, htmlContent: content.body }),
      filters: EVERYBODY.filters,
      coupon: typed.coupon,
    }
    send.mutate(
      { ...body, ...(template && { template }) },
      { onSuccess: ({ campaign }) => onSent(campaign.id), onSettled: () => onConfirming(false) },
    )
  }
  const isEmpty = count.data?.total === 0
  const isOfferless = typed.template === 'discount' && typed.coupon === null
  return (
    <Stack gap="md">
      <ConfirmToSend what="send messages" />
      <AudienceCount count={count} />
      <WordEditor
        layout="toggle"
        channel="email"
        words={content}
        coupon={{ edit: typed, onChange: change }}
        problems={{ ...(isSubmitted && findBlankProblems(content)), ...readRefused(send.error) }}
        templates={{
          choices: templates.data?.quickSend ?? [],
          value: typed.template,
          onChoose: (template) => change({ template, content: null }),
        }}
        onWords={changeContent}
        design={{
          isOwn,
          link: (
            <MailDesign
              title="Send to all"
              design={design ?? ready?.design}
              text={content}
              coupon={finished(typed.coupon)}
              onChange={(next) => change({ content: { ...content, design: next } })}
              onText={() => changeContent({})}
            />
          ),
        }}
        preview={
          <CartPreview
            channel="email"
            words={content}
            design={design}
            coupon={typed.coupon}
            onBody={(body) => changeContent({ body })}
          />
        }
      >
        {typed.template === 'discount' && !typed.coupon && (
          <>
            <UnreachedShop />
            <DiscountProposal onCoupon={change} />
          </>
        )}
      </WordEditor>
      <Stack gap="sm" className="campaign-foot">
        {isSubmitted && isBlank && (
          <Notice tone="bad" isLive>
            {campaignTexts.noWords}
          </Notice>
        )}
        {isOfferless && (
          <Text fz="sm" ta="right" role="status">
            {campaignTexts.noOffer}
          </Text>
        )}
        {send.error && <NotCreated error={send.error} text={campaignTexts.notSentToAll} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={send.isPending} disabled={isEmpty || isOfferless || !templates.data} onClick={ask}>
            Send to All
          </Button>
        </Group>
      </Stack>
      {isConfirming && (
        <ConfirmToAll
          counted={counted}
          isBusy={send.isPending}
          onConfirm={submit}
          onClose={() => onConfirming(false)}
        />
      )}
    </Stack>
  )
}

interface ConfirmProps {
  counted: CountBody
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Counts again, because the form may be minutes old. */
function ConfirmToAll({ counted, isBusy, onConfirm, onClose }: ConfirmProps) {
  const { data, error, isFetching, refetch } = useAudienceCount(counted, { isFresh: true })
  const isCounting = isFetching || !data
  const question =
    data && !isFetching ? confirmSendToAll(data) : { title: 'Send to all now?', label: 'Send', others: null }
  return (
    <Confirm
      opened
      title={question.title}
      confirmLabel={question.label}
      isBusy={isBusy}
      isDisabled={isCounting || data.total === 0}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {error && !data ? (
        <Failed title="The recipients could not be counted" error={error} onRetry={() => refetch()} />
      ) : isCounting ? (
        <LoadingList count={1} />
      ) : (
        <Stack gap="sm">
          <Text>{question.others ?? 'Every shopper with an abandoned cart gets it.'}</Text>
          <Reasons reasons={data.reasons} />
        </Stack>
      )}
    </Confirm>
  )
}

const findBlankProblems = ({ subject, body }: { subject: string; body: string }) => ({
  ...(subject.trim() === '' && { subject: campaignTexts.noSubject }),
  ...(body.trim() === '' && { body: campaignTexts.noBody }),
})

function readRefused(error: Error | null) {
  const fields = error instanceof ApiError ? error.fields : {}
  const { subject, htmlContent } = fields
  return { ...(subject && { subject }), ...(htmlContent && { body: htmlContent }) }
}

const PERCENT = 10
const VALID_HOURS = 72

/** B 9: the discount template promises 10%. One click creates the matching coupon. */
function DiscountProposal({ onCoupon }: { onCoupon: (coupon: CouponEdit) => void }) {
  const create = useCreateCoupon()
  const mayCreate = useHasPermission('coupons:write')
  const make = () => {
    const coupon = createQuickCoupon(createQuickCode(drawBelow), PERCENT, Date.now())
    create.mutate(
      { ...coupon, kind: 'personal', validHours: VALID_HOURS },
      { onSuccess: (answer) => onCoupon(applyCoupon(null, answer.coupon)) },
    )
  }
  return (
    <Notice tone="info" title="This text mentions a discount">
      <Text fz="sm" mb="xs">
        Choose a coupon above, or use {PERCENT}% off with personal codes valid for {VALID_HOURS} hours.
      </Text>
      {mayCreate && (
        <Group>
          <Button size="xs" variant="default" loading={create.isPending} onClick={make}>
            Create this coupon
          </Button>
        </Group>
      )}
      {create.error && (
        <Text fz="sm" mt="xs" role="alert">
          {getErrorText(create.error, couponTexts.createFailed)}
        </Text>
      )}
    </Notice>
  )
}
