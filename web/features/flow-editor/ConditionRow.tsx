import { Button, Checkbox, Group, MultiSelect, NativeSelect, NumberInput, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { type ComponentProps, useState } from 'react'
import {
  CONDITION_LANGUAGES,
  type ConditionLanguage,
  conditionLanguageNames,
  type FlowCondition,
  getHourText,
} from '../../../shared/carts/flow-conditions.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { useCategories, useCategoryNames } from '../../kits/flows/condition-queries.ts'
import { channelNames } from '../../kits/flows/rules.ts'
import { allCountries } from '../consent/country-groups.ts'
import { factNames } from './condition-draft.ts'
import { ProductsField } from './ProductsField.tsx'
import { checkCondition } from './problems.ts'

interface Props {
  condition: FlowCondition
  currency: string
  isReadOnly: boolean
  /** Missing values are reported after the first attempt to save. */
  isChecked: boolean
  /** null: remove the condition. */
  onChange: (next: FlowCondition | null) => void
}

export function ConditionRow(props: Props) {
  const { condition, isReadOnly, isChecked, onChange } = props
  const name = factNames[condition.fact]
  const problem = isChecked ? checkCondition(condition) : null
  return (
    <li>
      <div className="condition">
        <Text fz="sm" fw={550} className="condition-name">
          {name}
        </Text>
        <div className="condition-fields">
          <IsSelect {...props} />
          <Value {...props} error={problem} />
        </div>
        {!isReadOnly && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`Remove the condition: ${name}`}
            onClick={() => onChange(null)}
          >
            <IconX size={14} aria-hidden />
          </Button>
        )}
      </div>
      {problem && (
        <Text fz="xs" c="var(--rc-bad)" mt={4}>
          {problem}
        </Text>
      )}
    </li>
  )
}

const operatorLabels: Record<string, string> = {
  above: 'is above',
  below: 'is below',
  at_least: 'at least',
  at_most: 'at most',
  contains: 'has one of',
  lacks: 'has none of',
  one_of: 'is one of',
  not_one_of: 'is none of',
  first_time: 'has never bought before',
  returning: 'has bought before',
  present: 'is present',
  absent: 'is missing',
  given: 'was given for',
  missing: 'is missing for',
}

const listChoices: Partial<Record<FlowCondition['fact'], readonly string[]>> = {
  value: ['above', 'at_least', 'at_most', 'below'],
  items: ['at_least', 'at_most'],
  product: ['contains', 'lacks'],
  category: ['contains', 'lacks'],
  country: ['one_of', 'not_one_of'],
  buyer: ['first_time', 'returning'],
  orders: ['at_least', 'at_most'],
  coupon: ['present', 'absent'],
  phone: ['present', 'absent'],
  consent: ['given', 'missing'],
  language: ['one_of', 'not_one_of'],
}

function IsSelect({ condition, isReadOnly, onChange }: Props) {
  const choices = listChoices[condition.fact]
  if (!choices) return null
  return (
    <NativeSelect
      aria-label={`${factNames[condition.fact]}: how`}
      size="sm"
      disabled={isReadOnly}
      data={choices.map((value) => ({ value, label: operatorLabels[value]! }))}
      value={condition.is}
      onChange={(event) => onChange({ ...condition, is: event.currentTarget.value } as FlowCondition)}
    />
  )
}

const countries = allCountries.map(({ code, name }) => ({ value: code, label: name }))
const CHANNELS = ['email', 'sms', 'whatsapp'] as const
const languages = CONDITION_LANGUAGES.map((value) => ({ value, label: conditionLanguageNames[value] }))
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const LONGEST_LIST = 50

function Value(props: Props & { error: string | null }) {
  const { condition, currency, isReadOnly, error, onChange } = props
  const common = {
    'aria-label': factNames[condition.fact],
    size: 'sm',
    disabled: isReadOnly,
    error: error !== null,
  } as const
  switch (condition.fact) {
    case 'value':
      return (
        <NumberInput
          {...common}
          min={0}
          allowNegative={false}
          decimalScale={Math.min(getCurrencyExponent(currency), 2)}
          thousandSeparator=","
          rightSection={<Text fz="xs">{currency}</Text>}
          rightSectionWidth={48}
          w={150}
          value={Number.isNaN(condition.amount) ? '' : condition.amount}
          onChange={(amount) => onChange({ ...condition, amount: amount === '' ? Number.NaN : Number(amount) })}
        />
      )
    case 'items':
    case 'orders':
      return (
        <NumberInput
          {...common}
          min={0}
          max={1_000}
          allowDecimal={false}
          w={100}
          value={Number.isNaN(condition.count) ? '' : condition.count}
          onChange={(count) => onChange({ ...condition, count: count === '' ? Number.NaN : Number(count) })}
        />
      )
    case 'product':
      return (
        <ProductsField
          {...common}
          ids={condition.productIds}
          onChange={(productIds) => onChange({ ...condition, productIds })}
        />
      )
    case 'category':
      return (
        <CategoriesField
          {...common}
          ids={condition.categoryIds}
          onChange={(categoryIds) => onChange({ ...condition, categoryIds })}
        />
      )
    case 'country':
      return (
        <MultiSelect
          {...common}
          className="condition-many"
          searchable
          hidePickedOptions
          maxValues={LONGEST_LIST}
          placeholder={condition.countries.length === 0 ? 'Choose countries' : ''}
          data={countries}
          value={condition.countries}
          onChange={(chosen) => onChange({ ...condition, countries: chosen })}
        />
      )
    case 'consent':
      return (
        <NativeSelect
          {...common}
          data={CHANNELS.map((value) => ({ value, label: channelNames[value] }))}
          value={condition.channel}
          onChange={(event) =>
            onChange({ ...condition, channel: event.currentTarget.value as (typeof CHANNELS)[number] })
          }
        />
      )
    case 'language':
      return (
        <MultiSelect
          {...common}
          className="condition-many"
          placeholder={condition.languages.length === 0 ? 'Choose languages' : ''}
          data={languages}
          value={condition.languages}
          onChange={(chosen) => onChange({ ...condition, languages: chosen as ConditionLanguage[] })}
        />
      )
    case 'day':
      return (
        <Days days={condition.days} isReadOnly={isReadOnly} onChange={(days) => onChange({ ...condition, days })} />
      )
    case 'hour':
      return <Hours {...props} condition={condition} />
    default:
      return null
  }
}

const Days = ({
  days,
  isReadOnly,
  onChange,
}: {
  days: number[]
  isReadOnly: boolean
  onChange: (days: number[]) => void
}) => (
  <Checkbox.Group
    aria-label="Days of the week"
    value={days.map(String)}
    onChange={(chosen) => onChange(chosen.map(Number).toSorted((a, b) => a - b))}
  >
    <Group gap="10px 12px">
      {weekdays.map((name, index) => (
        <Checkbox key={name} size="xs" value={String(index + 1)} label={name} disabled={isReadOnly} />
      ))}
    </Group>
  </Checkbox.Group>
)

const hours = (from: number) =>
  Array.from({ length: 24 }, (_, each) => ({ value: String(each + from), label: getHourText(each + from) }))

type Hour = Extract<FlowCondition, { fact: 'hour' }>

function Hours({ condition, isReadOnly, onChange }: Pick<Props, 'isReadOnly' | 'onChange'> & { condition: Hour }) {
  return (
    <Group gap={6}>
      <NativeSelect
        aria-label="From"
        size="sm"
        disabled={isReadOnly}
        data={hours(0)}
        value={String(condition.from)}
        onChange={(event) => onChange({ ...condition, from: Number(event.currentTarget.value) })}
      />
      <Text fz="sm">to</Text>
      <NativeSelect
        aria-label="Until"
        size="sm"
        disabled={isReadOnly}
        data={hours(1)}
        value={String(condition.until)}
        onChange={(event) => onChange({ ...condition, until: Number(event.currentTarget.value) })}
      />
      <Text fz="sm" c="dimmed">
        shopper’s local time
      </Text>
    </Group>
  )
}

const PAUSE_MS = 300
const MOST = 20

/** Picks product categories of the store by name. */
function CategoriesField({ ids, onChange, ...input }: ComponentProps<typeof ProductsField>) {
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [search] = useDebouncedValue(typed.trim().slice(0, 200), PAUSE_MS)
  const found = useCategories(search, isOpen)
  const nameOf = useCategoryNames(ids)
  const offered = new Map((found.data?.categories ?? []).map(({ id, name }) => [id, name]))
  for (const id of ids) if (!offered.has(id)) offered.set(id, nameOf(id))
  return (
    <MultiSelect
      {...input}
      className="condition-many"
      searchable
      hidePickedOptions
      maxValues={MOST}
      placeholder={ids.length === 0 ? `Search ${plural[found.data?.noun ?? 'category']}` : ''}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      filter={({ options }) => options}
      nothingFoundMessage={getMessage(found)}
      data={[...offered].map(([value, label]) => ({ value, label }))}
      value={ids}
      onChange={onChange}
    />
  )
}

const plural = { category: 'categories', 'product type': 'product types' } as const

function getMessage({ error, isFetching, data }: ReturnType<typeof useCategories>): string {
  if (error) return 'The list could not be loaded.'
  if (isFetching) return 'Loading…'
  return data?.isKnown === false ? 'Not imported from your store yet.' : 'No match found.'
}
