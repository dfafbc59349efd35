import { Checkbox, NativeSelect, NumberInput, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { useForm } from '@mantine/form'
import type { ChangeEvent } from 'react'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { capabilities, DEFAULT_PLATFORM } from '../../../shared/platforms/platforms.ts'
import { useStore } from '../../core/access/queries.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import type { CouponValues } from './form.ts'
import { describeInactive, explainNoCap, isTyped, warnIfPast } from './form.ts'

// The fields of a coupon, laid out together.

interface Props {
  form: CouponFormState
}

/** Numbers keep their raw input: errors are shown, not corrected. */
const number = { clampBehavior: 'none', allowLeadingZeros: false } as const
const MINUTE_MS = 60_000
const COLUMNS = { base: 1, xs: 2 }

export function CodeField({ form }: Props) {
  const isPersonal = form.values.kind === 'personal'
  return (
    <TextInput
      label={isPersonal ? 'Codes start with' : 'Code'}
      description={
        isPersonal
          ? `A shopper gets a code such as ${form.values.code || 'CART'}-7K2M9QXW`
          : 'Uppercase letters, numbers and hyphens'
      }
      name="code"
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      data-autofocus
      {...form.getInputProps('code')}
      onChange={(event) => form.setFieldValue('code', toUpperCase(event))}
    />
  )
}

/** Also updates the input itself, otherwise the cursor jumps to the end. */
function toUpperCase({ currentTarget: field }: ChangeEvent<HTMLInputElement>): string {
  const [text, place] = [field.value.toUpperCase(), field.selectionStart]
  if (text !== field.value) {
    field.value = text
    field.setSelectionRange(place, place)
  }
  return text
}

/** Decision 34. `isExisting`: the coupon already exists. */
export function KindField({ form, isExisting }: Props & { isExisting: boolean }) {
  const choose = (kind: string) => {
    form.setFieldValue('kind', kind as 'shared' | 'personal')
    if (kind === 'personal' && form.values.code === '') form.setFieldValue('code', 'CART')
  }
  return (
    <Radio.Group
      label="Who can use it"
      {...(isExisting && { description: couponTexts.kindIsKept })}
      {...form.getInputProps('kind')}
      onChange={choose}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="shared"
          disabled={isExisting}
          label="One code for everyone"
          description="A regular coupon in your store. Anyone with the code can use it."
        />
        <Radio
          value="personal"
          disabled={isExisting}
          label="A personal code for each shopper"
          description="Each message carries its own code, which works once."
        />
      </Stack>
    </Radio.Group>
  )
}

export function DiscountFields({ form, currency }: Props & { currency: string }) {
  const { type, maxDiscount } = form.values
  const isFixed = type === 'fixed'
  const refusal = isFixed || isTyped(maxDiscount) ? explainNoCap(form.values) : null
  const cap = form.getInputProps('maxDiscount')
  return (
    <SimpleGrid cols={COLUMNS} spacing="md">
      <NativeSelect
        label="Type"
        data={[
          { value: 'percentage', label: 'Percentage' },
          { value: 'fixed', label: 'Fixed amount' },
        ]}
        {...form.getInputProps('type')}
      />
      <NumberInput
        {...number}
        label={type === 'percentage' ? 'Amount in percent' : `Amount in ${currency}`}
        {...form.getInputProps('amount')}
      />
      <NumberInput {...number} label={`Minimum spend in ${currency} (optional)`} {...form.getInputProps('minSpend')} />
      <NumberInput
        {...number}
        label={`Maximum discount in ${currency} (optional)`}
        description={isFixed ? refusal : 'Upper limit of the discount'}
        // Aligned with the other fields of its row, even with a hint below.
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        disabled={isFixed}
        {...cap}
        {...(isFixed ? { value: '' } : refusal && { error: refusal })}
        onChange={(value) => !isFixed && cap.onChange(value)}
      />
    </SimpleGrid>
  )
}

/** In the store's time zone (decision 32). */
export function DateFields({ form, zone }: Props & { zone: string }) {
  const past = warnIfPast(form.values.endDate, zone, useNow(MINUTE_MS))
  return (
    <div>
      <SimpleGrid cols={COLUMNS} spacing="md">
        <TextInput type="datetime-local" label="Start date" {...form.getInputProps('startDate')} />
        <TextInput type="datetime-local" label="End date" {...form.getInputProps('endDate')} />
      </SimpleGrid>
      <Text fz="xs" c="dimmed" mt={6}>
        In your store’s time zone, {zone}.
      </Text>
      {past && (
        <div className="coupon-warning">
          <Notice tone="warn" isLive>
            {past}
          </Notice>
        </div>
      )}
    </div>
  )
}

export function LimitFields({ form }: Props) {
  const isPersonal = form.values.kind === 'personal'
  return (
    <>
      <SimpleGrid cols={COLUMNS} spacing="md">
        {isPersonal ? <ValidHours form={form} /> : <UsageLimit form={form} />}
        <Checkbox
          mt={{ base: 0, xs: 24 }}
          label="Active"
          description={describeInactive(form.values.kind)}
          {...form.getInputProps('isActive', { type: 'checkbox' })}
        />
      </SimpleGrid>
      {isPersonal && <TieField form={form} />}
    </>
  )
}

function TieField({ form }: Props) {
  const platform = useStore()?.platform ?? DEFAULT_PLATFORM
  const isPossible = capabilities[platform].coupons.personal
  return (
    <Checkbox
      label="Tie each code to the shopper’s email"
      description={
        isPossible ? 'Only this shopper can use it, after entering the email at checkout.' : couponTexts.noTie
      }
      disabled={!isPossible}
      {...form.getInputProps('isTiedToEmail', { type: 'checkbox' })}
    />
  )
}

const UsageLimit = ({ form }: Props) => (
  <NumberInput
    {...number}
    label="Usage limit (optional)"
    placeholder="Unlimited"
    {...form.getInputProps('usageLimit')}
  />
)

const ValidHours = ({ form }: Props) => (
  <NumberInput
    {...number}
    label="Hours a code is valid"
    description="Counted from when its message is sent"
    inputWrapperOrder={['label', 'input', 'description', 'error']}
    {...form.getInputProps('validHours')}
  />
)

type Form = ReturnType<typeof useForm<CouponValues>>

type CouponFormState = Pick<Form, 'values' | 'getInputProps' | 'setFieldValue'>
