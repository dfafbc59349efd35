import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { WordsPreview } from '../../kits/message-editor/WordsPreview.tsx'
import { type Offer, useDiscountPreview } from './queries.ts'
import type { Person } from './rules.ts'

const OFFERED = 50
const HEIGHT = 440

interface Props {
  people: readonly Person[]
  /** Initially shown customer: one who would get the mail. */
  first: string | null
  /** null: no coupon is chosen, so there is nothing to preview. */
  offer: Pick<Offer, 'couponId' | 'cartUrl' | 'subject' | 'body' | 'design'> | null
  isTyping: boolean
}

const decisionTexts = {
  send: { tone: 'good', text: 'This customer would get the message now.' },
  hold: { tone: 'warn', text: 'This customer would not get the message now.' },
  skip: { tone: 'quiet', text: 'This customer would be skipped now.' },
} as const

/** Preview by the sending code for one of the chosen customers. */
export function DiscountPreview({ people, first, offer, isTyping }: Props) {
  const [chosen, choose] = useState<string | null>(null)
  const offered = people.slice(0, OFFERED)
  const isOffered = (id: string | null) => offered.some((person) => person.id === id)
  const customer = isOffered(chosen) ? chosen : isOffered(first) ? first : (offered[0]?.id ?? null)
  const of = customer && offer ? { customer, ...offer } : null
  const preview = useDiscountPreview(of)
  return (
    <WordsPreview
      channel="email"
      made={preview}
      isStale={isTyping || preview.isPlaceholderData}
      height={HEIGHT}
      {...(people.length > 1 && { decisionTexts })}
      nothing={explainNoPreview(customer, offer)}
      of={of}
    >
      {offered.length > 1 && customer && (
        <NativeSelect
          label="For the customer"
          data={offered.map(({ id, name }) => ({ value: id, label: name }))}
          value={customer}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      )}
    </WordsPreview>
  )
}

function explainNoPreview(customer: string | null, offer: Props['offer']): string | null {
  if (customer === null) return 'Select a customer to see the message as they would get it.'
  return offer === null ? 'Choose a coupon to see the message with it.' : null
}
