import { Group, Input, NumberInput, Radio, Stack, Switch, Text, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import { type CouponProblems, PAUSE_DAYS } from './step-coupon.ts'

interface Props {
  coupon: StepCoupon
  problems: CouponProblems
  currency: string
  isReadOnly: boolean
  onChange: (next: Partial<StepCoupon>) => void
}

// Prevents a line break.
const [IF, END] = ['{%\u00a0if\u00a0coupon_code\u00a0%}', '{%\u00a0endif\u00a0%}']

/** Sets who gets the coupon (decision 36), and whether the message is sent to others without it (decision 35). */
export function CouponRules({ coupon, problems, currency, isReadOnly, onChange }: Props) {
  const { fallback, firstOrderOnly, pauseDays, aboveAmount } = coupon
  return (
    <Stack gap="md" className="coupon-rules">
      <fieldset>
        <Text component="legend" fz="sm" fw={550}>
          Who gets it
        </Text>
        <Text fz="xs" c="dimmed" mb="xs">
          Shoppers who always get a discount learn to abandon carts on purpose. Coupons made here or sent with a message
          count as used.
        </Text>
        <Stack gap="xs">
          <Switch
            label="Only for first orders"
            disabled={isReadOnly}
            checked={firstOrderOnly}
            onChange={(event) => onChange({ firstOrderOnly: event.currentTarget.checked })}
          />
          <NumberRule
            before="Not for shoppers who used a coupon in the last"
            after="days"
            name="Days since they used a coupon"
            value={pauseDays}
            first={PAUSE_DAYS}
            decimals={0}
            error={problems.pauseDays}
            isReadOnly={isReadOnly}
            onChange={(days) => onChange({ pauseDays: days })}
          />
          <NumberRule
            before="Only for carts above"
            after={currency}
            name={`Amount in ${currency}`}
            value={aboveAmount}
            first={Number.NaN}
            decimals={Math.min(getCurrencyExponent(currency), 2)}
            error={problems.aboveAmount}
            isReadOnly={isReadOnly}
            onChange={(amount) => onChange({ aboveAmount: amount })}
          />
        </Stack>
      </fieldset>
      <Radio.Group
        label="If the coupon is invalid or these rules exclude the shopper"
        value={fallback}
        onChange={(value) => onChange({ fallback: value as StepCoupon['fallback'] })}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="without"
            disabled={isReadOnly}
            label="Send without it"
            description={`Paragraphs with a coupon variable are then omitted. Put other text about the coupon between ${IF} and ${END}.`}
          />
          <Radio value="skip" disabled={isReadOnly} label="Do not send" />
        </Stack>
      </Radio.Group>
    </Stack>
  )
}

interface RuleProps {
  before: string
  after: ReactNode
  /** Label of the number for screen readers. */
  name: string
  /** null: the rule is off. NaN: the field is empty. */
  value: number | null
  /** Initial value when the rule is switched on. */
  first: number
  decimals: number
  error: string | undefined
  isReadOnly: boolean
  onChange: (value: number | null) => void
}

/** A rule that can be switched off, as a sentence with a number field. */
function NumberRule({ before, after, name, value, first, decimals, error, isReadOnly, onChange }: RuleProps) {
  const id = useId()
  const isOn = value !== null
  const isEmpty = value === null || Number.isNaN(value)
  return (
    <div>
      <Group gap="xs">
        <Switch
          label={
            <>
              {before}
              <VisuallyHidden>
                {' '}
                {isEmpty ? '' : value} {after}
              </VisuallyHidden>
            </>
          }
          disabled={isReadOnly}
          checked={isOn}
          onChange={(event) => onChange(event.currentTarget.checked ? first : null)}
        />
        <Group gap={6} wrap="nowrap">
          <NumberInput
            aria-label={name}
            w={decimals > 0 ? 96 : 64}
            size="xs"
            hideControls
            clampBehavior="none"
            allowNegative={false}
            allowLeadingZeros={false}
            allowDecimal={decimals > 0}
            decimalScale={decimals}
            disabled={isReadOnly || !isOn}
            value={isEmpty ? '' : value}
            error={error !== undefined}
            {...(error !== undefined && { 'aria-describedby': id })}
            onChange={(typed) => onChange(typed === '' ? Number.NaN : Number(typed))}
          />
          <Text span fz="sm" aria-hidden>
            {after}
          </Text>
        </Group>
      </Group>
      {error !== undefined && (
        <Input.Error id={id} mt={4}>
          {error}
        </Input.Error>
      )}
    </div>
  )
}
