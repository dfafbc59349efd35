import './message-editor.css'
import { Button, Stack, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useStore } from '../../core/access/queries.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { CouponField } from './CouponField.tsx'
import { CouponRules } from './CouponRules.tsx'
import {
  applyCoupon,
  type CouponEdit,
  type CouponProblems,
  couponTrouble,
  isCodeShown,
  rulesLine,
  troubleTexts,
  type Words,
} from './step-coupon.ts'

interface Props {
  step: CouponEdit
  problems: CouponProblems & { coupon?: string }
  isReadOnly: boolean
  onChange: (next: Partial<CouponEdit>) => void
}

const DEFAULT_CURRENCY = 'USD'

/** The coupon of a message and its recipients, collapsed to one line until the user opens it. */
export function StepCoupon({ step, problems, isReadOnly, onChange }: Props) {
  const currency = useStore()?.currency ?? DEFAULT_CURRENCY
  const [isOpen, setOpen] = useState(false)
  const { coupon } = step
  // A coupon with a problem is expanded, and stays so while the user corrects it.
  if (!isOpen && (problems.pauseDays !== undefined || problems.aboveAmount !== undefined)) setOpen(true)
  const Sign = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Stack gap="xs">
      <CouponField
        step={step}
        error={problems.coupon}
        isReadOnly={isReadOnly}
        onChoose={(chosen) => onChange(applyCoupon(coupon, chosen))}
      />
      {coupon && (
        <>
          <Trouble step={step} />
          <div className="coupon-line">
            <Text span fz="sm" c="dimmed">
              {rulesLine(step, currency)}
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              aria-expanded={isOpen}
              rightSection={<Sign size={14} aria-hidden />}
              onClick={() => setOpen(!isOpen)}
            >
              Coupon rules
            </Button>
          </div>
          {isOpen && (
            <CouponRules
              coupon={coupon}
              problems={problems}
              currency={currency}
              isReadOnly={isReadOnly}
              onChange={(next) => onChange({ coupon: { ...coupon, ...next } })}
            />
          )}
        </>
      )}
    </Stack>
  )
}

const MINUTE_MS = 60_000

function Trouble({ step: { coupon, couponShown } }: Pick<Props, 'step'>) {
  const trouble = couponTrouble(couponShown, useNow(MINUTE_MS))
  if (!trouble) return null
  return (
    <Notice tone="warn">
      {troubleTexts[trouble].text}{' '}
      {coupon?.fallback === 'skip'
        ? 'Right now, this message would not be sent.'
        : 'Right now, this message would be sent without it.'}
    </Notice>
  )
}

/** Warns below the text if it does not mention the coupon: only the link would apply it. */
export function CodeHint({ step }: { step: CouponEdit & Words }) {
  if (!step.coupon || isCodeShown(step)) return null
  return (
    <Notice tone="info">
      {step.channel === 'email'
        ? 'Neither the code nor the list of items is in the text, so shoppers do not see the coupon. '
        : 'The code is not in the text, so shoppers do not see the coupon. '}
      The link still applies it. Select coupon_code above to insert it.
    </Notice>
  )
}

/** The approved template has no variable for a code. */
export const NoCouponByWhatsApp = ({ step }: Pick<Props, 'step'>) => (
  <Text fz="sm" c="dimmed">
    WhatsApp templates have fixed text without a coupon.
    {step.coupon && ' Saving removes the coupon.'}
  </Text>
)
