import { NativeSelect, Select, SimpleGrid, Stack } from '@mantine/core'
import type { AudienceFilters } from '../../shared/audience.ts'
import { campaignTexts } from '../../shared/campaigns.ts'
import type { CartBadge } from '../../shared/carts.ts'
import { currencyExponent } from '../../shared/money.ts'
import { useHasFeature, useStore } from '../access/queries.ts'
import { ProductField } from '../audiences/ProductField.tsx'
import { SavedAudiences } from '../audiences/SavedAudiences.tsx'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { badgeLooks } from '../carts/badges.tsx'
import { allCountries } from '../consent/country-groups.ts'
import { checkNumbers } from './filter-number.ts'
import { NumberFilter } from './NumberFilter.tsx'
import { isFiltered, type StepProps } from './rules.ts'

const DEFAULT_CURRENCY = 'USD'

/** Filters for abandoned carts, applied again at each run, or for the list to pick customers from. */
export function FilterFields({ draft: { filters }, problems, isReadOnly, onChange }: StepProps) {
  const hasFilters = useHasFeature('audience_filters')
  const change = (next: Partial<AudienceFilters>) => onChange({ filters: { ...filters, ...next } })
  return (
    <Stack gap="md" component="section" aria-label="Filters">
      {hasFilters === false && isFiltered(filters) && <UpgradeNotice text={campaignTexts.filterPlan} />}
      <SavedAudiences filters={filters} isReadOnly={isReadOnly} onChoose={(kept) => onChange({ filters: kept })} />
      <Numbers filters={filters} problems={problems} isReadOnly={isReadOnly} onChange={change} />
      <OtherFilters filters={filters} isReadOnly={isReadOnly} onChange={change} />
    </Stack>
  )
}

const badges = Object.keys(badgeLooks) as CartBadge[]
const countryChoices = allCountries.map(({ code, name }) => ({ value: code, label: name }))

interface FieldsProps extends Pick<StepProps, 'isReadOnly'> {
  filters: AudienceFilters
  onChange: (next: Partial<AudienceFilters>) => void
}

function Numbers({ filters, problems, isReadOnly, onChange }: FieldsProps & Pick<StepProps, 'problems'>) {
  const currency = useStore()?.currency ?? DEFAULT_CURRENCY
  const decimals = Math.min(currencyExponent(currency), 2)
  const found = { ...problems, ...checkNumbers(filters) }
  const fields = [
    { name: 'minCartValue', label: `Minimum cart value (${currency})`, decimals },
    { name: 'maxCartValue', label: `Maximum cart value (${currency})`, decimals },
    { name: 'minAbandonTime', label: 'Minimum hours since abandonment', decimals: 1 },
    { name: 'maxAbandonTime', label: 'Maximum hours since abandonment', decimals: 1 },
  ] as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {fields.map((field) => (
        <NumberFilter
          key={field.name}
          {...field}
          isReadOnly={isReadOnly}
          value={filters[field.name] ?? null}
          error={found[field.name]}
          onChange={(value) => onChange({ [field.name]: value })}
        />
      ))}
    </SimpleGrid>
  )
}

function OtherFilters({ filters, isReadOnly, onChange }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <NativeSelect
        label="Status of the cart"
        disabled={isReadOnly}
        data={[{ value: '', label: 'Any' }, ...badges]}
        value={filters.badge ?? ''}
        onChange={(event) => onChange({ badge: badges.find((badge) => badge === event.currentTarget.value) ?? null })}
      />
      <NativeSelect
        label="Has had a message before"
        disabled={isReadOnly}
        data={[
          { value: '', label: 'Any' },
          { value: 'no', label: 'No' },
          { value: 'yes', label: 'Yes' },
        ]}
        value={filters.mailedBefore ?? ''}
        onChange={(event) => onChange({ mailedBefore: (event.currentTarget.value || null) as 'yes' | 'no' | null })}
      />
      <Select
        label="Country of the customer"
        placeholder="Any"
        searchable
        clearable
        readOnly={isReadOnly}
        data={countryChoices}
        value={filters.country ?? null}
        onChange={(country) => onChange({ country })}
      />
      <ProductField
        value={filters.productId ?? null}
        isReadOnly={isReadOnly}
        onChange={(productId) => onChange({ productId })}
      />
    </SimpleGrid>
  )
}
