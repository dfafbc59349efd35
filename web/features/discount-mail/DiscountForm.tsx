import './discount-mail.css'
import { Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'
import { discountTexts, MAX_RECIPIENTS, READY_DISCOUNT } from '../../../shared/marketing/discount-mail.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useStore } from '../../core/access/queries.ts'
import { ApiError, getErrorText } from '../../core/api/api.ts'
import { useLeaveGuard } from '../../core/ui/useLeaveGuard.tsx'
import { MailDesign } from '../../kits/mail-editor/MailDesign.tsx'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import { BulkSendCard } from '../../kits/manual-sends/BulkSendCard.tsx'
import { WordEditor } from '../../kits/message-editor/WordEditor.tsx'
import { ConfirmToSend } from '../stores/ConfirmToSend.tsx'
import { CouponField } from './CouponField.tsx'
import { CustomerPicker } from './CustomerPicker.tsx'
import { DiscountFoot } from './DiscountFoot.tsx'
import { DiscountPreview } from './DiscountPreview.tsx'
import { type Offer, usePeople, useRecipientCheck, useSendOffers } from './queries.ts'
import { findObstacle, RecipientSummary } from './RecipientSummary.tsx'
import {
  clearAll,
  countChosen,
  formatSendLabel,
  noCustomers,
  type PeopleFilter,
  type Person,
  type RecipientChoice,
  toPerson,
  toRecipients,
} from './rules.ts'

interface Props {
  place: string
  person: Person | null
  /** Whether closing would lose the user's own text. */
  dirty: RefObject<boolean>
  onClose: () => void
}

/** Input that a user would not want to repeat. */
interface FormValues {
  filter: PeopleFilter
  chosen: RecipientChoice
  couponId: string | null
  cartUrl: string
  content: { subject: string; body: string; design?: MailDocument }
}

const PAUSE_MS = 500

/** Steps: recipients, coupon, content, send. */
export function DiscountForm({ place, person, dirty, onClose }: Props) {
  const { typed, change } = useTyped(place, person)
  const [isDropped, setDropped] = useState(false)
  const [jobId, setJobId] = useState<string | null>(null)
  const [isSubmitted, setSubmitted] = useState(false)
  const people = usePeople(typed.filter)
  const send = useSendOffers()
  const [debounced] = useDebouncedValue(typed, PAUSE_MS)
  const settled = toRecipients(debounced.chosen, debounced.filter)
  const offer = buildOffer(debounced)
  const isDirty = jobId === null && hasOwnContent(typed)
  const { question } = useLeaveGuard(isDirty)
  useEffect(() => {
    dirty.current = isDirty
    return () => {
      dirty.current = false
    }
  }, [isDirty, dirty])
  const { total = 0, isCapped = false } = people.data?.pages[0] ?? {}
  const count = countChosen(typed.chosen, total)
  const isTooMany = count > MAX_RECIPIENTS
  const checked = isTooMany ? null : settled
  const eligibility = useRecipientCheck(
    checked && { ...checked, ...(debounced.couponId && { couponId: debounced.couponId }) },
  )
  if (jobId) return <BulkSendCard jobId={jobId} onJob={setJobId} onDismiss={onClose} />

  const refused = findRefused(send, typed)
  // For a search without an exact total, only the server knows it.
  const tooMany = isTooMany ? discountTexts.tooMany : (getFieldErrors(eligibility.error).customers ?? null)
  const { design, ...text } = typed.content
  const isOwn = isDesigned(design)
  const isBlank = isOwn ? findMailProblems(design).length > 0 : text.subject.trim() === '' || text.body.trim() === ''
  const isChecked = !eligibility.isPlaceholderData && debounced === typed
  const recipients = count > 0 && isChecked ? (eligibility.data ?? null) : null
  const submit = () => {
    setSubmitted(true)
    const body = buildBody(typed)
    if (!body || isBlank) return
    send.mutate(body, { onSuccess: (answer) => setJobId(answer.jobId) })
  }
  const problem = send.error && refused ? getErrorText(send.error, discountTexts.failed) : null
  const missing = !typed.couponId ? discountTexts.noCoupon : isBlank ? 'Enter a subject and a message.' : null
  const previewed = choosePreviewed(
    typed.chosen,
    people.data?.pages.flatMap((page) => page.customers.map(toPerson)) ?? [],
  )
  return (
    <Stack gap="md">
      <ConfirmToSend what="send messages" />
      <WordEditor
        layout="dialog"
        channel="email"
        words={typed.content}
        problems={{
          subject: typed.content.subject.trim() === '' ? 'Enter a subject' : null,
          body: typed.content.body.trim() === '' ? 'Enter a message' : null,
        }}
        coupon="always"
        onWords={(next) => change({ content: { ...text, ...next } })}
        design={{
          isOwn,
          link: (
            <MailDesign
              title="Discount mail"
              design={design}
              text={text}
              onChange={(next) => change({ content: { ...text, design: next } })}
              onText={() => change({ content: text })}
            />
          ),
        }}
        before={
          <>
            {person ? (
              <Text>
                To <strong>{person.name}</strong>
              </Text>
            ) : (
              <CustomerPicker
                people={people}
                filter={typed.filter}
                chosen={typed.chosen}
                error={isSubmitted && count === 0 ? discountTexts.noCustomers : (refused?.customers ?? null)}
                isDropped={isDropped}
                onFilter={(filter) => {
                  const chosen = clearAll(typed.chosen)
                  setDropped(isDropped || chosen !== typed.chosen)
                  change({ filter, chosen })
                }}
                onChoose={(chosen) => {
                  setDropped(false)
                  change({ chosen })
                }}
              />
            )}
            <CouponField
              value={typed.couponId}
              error={isSubmitted && !typed.couponId ? discountTexts.noCoupon : (refused?.couponId ?? null)}
              onChange={(couponId) => change({ couponId })}
            />
            <TextInput
              label="Cart URL (optional)"
              description="Page of your store that opens for customers without a saved cart"
              type="url"
              maxLength={2_048}
              value={typed.cartUrl}
              error={refused?.cartUrl}
              onChange={(event) => change({ cartUrl: event.currentTarget.value })}
            />
          </>
        }
        above={
          <RecipientSummary
            isEmpty={count === 0}
            tooMany={tooMany}
            missing={missing ?? (problem && 'Not sent')}
            eligibility={eligibility}
            people={previewed}
          />
        }
        preview={
          <DiscountPreview
            people={previewed}
            first={eligibility.data?.eligible[0] ?? null}
            offer={debounced.couponId ? { ...offer, couponId: debounced.couponId } : null}
            isTyping={debounced !== typed}
          />
        }
      />
      <DiscountFoot
        label={person ? 'Send discount' : formatSendLabel(recipients, count, isCapped && typed.chosen.kind === 'all')}
        problem={problem}
        obstacle={tooMany ?? (recipients && findObstacle(recipients))}
        isPending={send.isPending}
        onSend={submit}
        onClose={onClose}
      />
      {question}
    </Stack>
  )
}

/** Restored after a session expires, for the same place and customer. */
function useTyped(place: string, person: Person | null) {
  const [typed, setTyped] = useState<FormValues>({
    filter: { search: '', abandonedOnly: true },
    chosen: person ? { kind: 'some', people: [person] } : noCustomers,
    couponId: null,
    cartUrl: '',
    content: { ...READY_DISCOUNT },
  })
  const [isTouched, setTouched] = useState(false)
  const storeId = useStore()?.id
  useDraft<FormValues>(`discount:${storeId}:${place}:${person?.id ?? ''}`, isTouched ? typed : null, setTyped)
  const change = (next: Partial<FormValues>) => {
    setTouched(true)
    setTyped({ ...typed, ...next })
  }
  return { typed, change }
}

const hasOwnContent = ({ cartUrl, content }: FormValues) =>
  cartUrl.trim() !== '' ||
  isDesigned(content.design) ||
  content.subject !== READY_DISCOUNT.subject ||
  content.body !== READY_DISCOUNT.body

function buildBody(typed: FormValues): Offer | null {
  const recipients = toRecipients(typed.chosen, typed.filter)
  return recipients && typed.couponId ? { ...recipients, couponId: typed.couponId, ...buildOffer(typed) } : null
}

/** Default content is not the user's own text. */
function buildOffer({ cartUrl, content }: FormValues): Pick<Offer, 'cartUrl' | 'subject' | 'body' | 'design'> {
  const { subject, body, design } = content
  if (isDesigned(design)) return { ...(cartUrl.trim() && { cartUrl: cartUrl.trim() }), design }
  return {
    ...(cartUrl.trim() && { cartUrl: cartUrl.trim() }),
    ...(subject.trim() && subject !== READY_DISCOUNT.subject && { subject }),
    ...(body.trim() && body !== READY_DISCOUNT.body && { body }),
  }
}

/** Chosen customers whose names are loaded. */
function choosePreviewed(chosen: RecipientChoice, listed: readonly Person[]): readonly Person[] {
  return chosen.kind === 'some' ? chosen.people : listed.filter(({ id }) => !chosen.except.includes(id))
}

/** Refusals by field, as far as the refused input is unchanged; null if none remain. */
function findRefused({ error, variables }: ReturnType<typeof useSendOffers>, typed: FormValues) {
  if (!error || !variables) return null
  const now: Partial<Record<string, unknown>> = { ...buildBody(typed) }
  const sent: Partial<Record<string, unknown>> = { ...variables }
  const pickPart = (body: Partial<Record<string, unknown>>, field: string) =>
    JSON.stringify(field === 'customers' ? [body.customers, body.matching] : body[field])
  const isSame = (field: string) => pickPart(now, field) === pickPart(sent, field)
  const fields = getFieldErrors(error)
  const remaining = Object.entries(fields).filter(([field]) => isSame(field))
  const isChanged = Object.keys(fields).length > 0 && remaining.length === 0
  return isChanged ? null : Object.fromEntries(remaining)
}

const getFieldErrors = (error: Error | null): Record<string, string> => (error instanceof ApiError ? error.fields : {})
