import './discount-mail.css'
import { Button, Grid, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { discountTexts, MOST_RECIPIENTS, READY_DISCOUNT } from '../../shared/discount-mail.ts'
import { useDraft } from '../access/drafts.ts'
import { useStore } from '../access/queries.ts'
import { wordsOf } from '../accounts/queries.ts'
import { ApiError } from '../api.ts'
import { BulkSendCard } from '../carts/BulkSendCard.tsx'
import { TextFields } from '../templates/TextFields.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CouponField } from './CouponField.tsx'
import { CustomerPicker } from './CustomerPicker.tsx'
import { DiscountPreview } from './DiscountPreview.tsx'
import { type Offer, usePeople, useSendOffers, useWhoGetsIt } from './queries.ts'
import {
  type Chosen,
  countOf,
  nobody,
  type PeopleFilter,
  type Person,
  peopleText,
  personOf,
  recipientsOf,
  refiltered,
} from './rules.ts'
import { WhoGetsIt } from './WhoGetsIt.tsx'

interface Props {
  place: string
  person: Person | null
  onClose: () => void
}

/** What somebody can type or choose here, and would not want to do again. */
interface Typed {
  filter: PeopleFilter
  chosen: Chosen
  couponId: string | null
  cartUrl: string
  words: { subject: string; body: string }
}

const PAUSE_MS = 500

/** Who gets it, which coupon, what it says; then it goes. */
export function DiscountForm({ place, person, onClose }: Props) {
  const { typed, change } = useTyped(place, person)
  const [jobId, setJobId] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const people = usePeople(typed.filter)
  const send = useSendOffers()
  const [asked] = useDebouncedValue(typed, PAUSE_MS)
  const recipients = recipientsOf(typed.chosen, typed.filter)
  const settled = recipientsOf(asked.chosen, asked.filter)
  const offer = offerOf(asked)
  const { total = 0, isCapped = false } = people.data?.pages[0] ?? {}
  const count = countOf(typed.chosen, total)
  const isTooMany = count > MOST_RECIPIENTS
  const checked = isTooMany ? null : settled
  const eligibility = useWhoGetsIt(checked && { ...checked, ...(asked.couponId && { couponId: asked.couponId }) })
  if (jobId) return <BulkSendCard jobId={jobId} onJob={setJobId} onDismiss={onClose} />

  const refused = fieldsOf(send.error)
  // Of a search without an exact total only the server knows.
  const tooMany = isTooMany ? discountTexts.tooMany : (fieldsOf(eligibility.error).customers ?? null)
  const isBlank = typed.words.subject.trim() === '' || typed.words.body.trim() === ''
  // Nobody of them would get it.
  const isHopeless = count > 0 && !eligibility.isPlaceholderData && eligibility.data?.eligible.length === 0
  const submit = () => {
    setAsked(true)
    if (!recipients || !typed.couponId || isBlank) return
    const body: Offer = { ...recipients, couponId: typed.couponId, ...offerOf(typed) }
    send.mutate(body, { onSuccess: (answer) => setJobId(answer.jobId) })
  }
  const shown = shownOf(typed.chosen, people.data?.pages.flatMap((page) => page.customers.map(personOf)) ?? [])
  return (
    <Stack gap="md">
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            {!person && (
              <CustomerPicker
                people={people}
                filter={typed.filter}
                chosen={typed.chosen}
                error={isAsked && count === 0 ? discountTexts.noCustomers : (refused.customers ?? null)}
                onFilter={(filter) => change({ filter, chosen: refiltered(typed.chosen) })}
                onChoose={(chosen) => change({ chosen })}
              />
            )}
            <CouponField
              value={typed.couponId}
              error={isAsked && !typed.couponId ? discountTexts.noCoupon : (refused.couponId ?? null)}
              onChange={(couponId) => change({ couponId })}
            />
            <TextInput
              label="Cart URL (optional)"
              description="A page of your store, which the link opens for customers without a saved cart"
              type="url"
              maxLength={2_048}
              value={typed.cartUrl}
              error={refused.cartUrl}
              onChange={(event) => change({ cartUrl: event.currentTarget.value })}
            />
            <TextFields
              words={typed.words}
              hasSubject
              coupon="always"
              problems={{
                subject: typed.words.subject.trim() === '' ? 'A message needs a subject' : null,
                body: typed.words.body.trim() === '' ? 'A message needs a text' : null,
              }}
              onChange={(next) => change({ words: { ...typed.words, ...next } })}
            />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            <WhoGetsIt isNobody={count === 0} tooMany={tooMany} eligibility={eligibility} people={shown} />
            <DiscountPreview
              people={shown}
              first={eligibility.data?.eligible[0] ?? null}
              offer={{ ...offer, ...(asked.couponId && { couponId: asked.couponId }) }}
              isTyping={asked !== typed}
            />
          </Stack>
        </Grid.Col>
      </Grid>
      <Stack gap="sm" className="discount-foot">
        {send.error && (
          <Notice tone="bad" isLive>
            {wordsOf(send.error, discountTexts.failed)}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={send.isPending} disabled={isHopeless || tooMany !== null} onClick={submit}>
            {person ? 'Send discount' : `Send to ${peopleText(count, isCapped && typed.chosen.kind === 'all')}`}
          </Button>
        </Group>
        <span className="only-read" role="status">
          {send.isPending ? 'Sending…' : ''}
        </span>
      </Stack>
    </Stack>
  )
}

/** Survives the end of a session, for the same place and person. */
function useTyped(place: string, person: Person | null) {
  const [typed, setTyped] = useState<Typed>({
    filter: { search: '', abandonedOnly: true },
    chosen: person ? { kind: 'some', people: [person] } : nobody,
    couponId: null,
    cartUrl: '',
    words: { ...READY_DISCOUNT },
  })
  const [isTouched, setTouched] = useState(false)
  const storeId = useStore()?.id
  useDraft<Typed>(`discount:${storeId}:${place}:${person?.id ?? ''}`, isTouched ? typed : null, setTyped)
  const change = (next: Partial<Typed>) => {
    setTouched(true)
    setTyped({ ...typed, ...next })
  }
  return { typed, change }
}

/** Words that came along are not the owner's own. */
function offerOf({ cartUrl, words }: Typed): Pick<Offer, 'cartUrl' | 'subject' | 'body'> {
  const { subject, body } = words
  return {
    ...(cartUrl.trim() && { cartUrl: cartUrl.trim() }),
    ...(subject.trim() && subject !== READY_DISCOUNT.subject && { subject }),
    ...(body.trim() && body !== READY_DISCOUNT.body && { body }),
  }
}

/** Those of the chosen whose names are known here. */
function shownOf(chosen: Chosen, listed: readonly Person[]): readonly Person[] {
  return chosen.kind === 'some' ? chosen.people : listed.filter(({ id }) => !chosen.except.includes(id))
}

const fieldsOf = (error: Error | null): Record<string, string> => (error instanceof ApiError ? error.fields : {})
