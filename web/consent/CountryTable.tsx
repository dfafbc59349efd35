import './country.css'
import { Card, CloseButton, Stack, Text, TextInput, Title, VisuallyHidden } from '@mantine/core'
import { IconMapOff, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { ConsentTable, RuleName } from '../../shared/consent.ts'
import { useHasPermission } from '../access/queries.ts'
import { Empty } from '../ui/Empty.tsx'
import { Failed } from '../ui/Failed.tsx'
import { formatCounted } from '../ui/format.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { ConsentOverrides } from './ConsentOverrides.tsx'
import { CountryGroups } from './CountryGroups.tsx'
import { findCountries, groupCountries, type RuleToRelax } from './country-groups.ts'
import { useConsentTable } from './country-queries.ts'
import { OverrideDialog } from './OverrideDialog.tsx'
import { SmsConfirmation } from './SmsConfirmation.tsx'

/** Consent rules by country with their reasons, and the rules the team relaxed. */
export function CountryTable() {
  const table = useConsentTable()
  return (
    <Card>
      <Title order={2}>Who you can contact</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md" maw={680}>
        Consent law differs by country and by channel. Recoup applies these rules for you: a message that is not allowed
        is not sent, and the cart shows why. People who opted out are never contacted, whatever the rule.
      </Text>
      {table.isPending ? (
        <LoadingList count={5} />
      ) : table.error ? (
        <Failed title="The countries could not be loaded" error={table.error} onRetry={() => table.refetch()} />
      ) : (
        <Content table={table.data} />
      )}
    </Card>
  )
}

function Content({ table }: { table: ConsentTable }) {
  const mayOverride = useHasPermission('consent:write')
  const [overriding, setOverriding] = useState<RuleToRelax | null>(null)
  return (
    <Stack gap="xl">
      <Rules table={table} />
      <Countries table={table} onOverride={mayOverride ? setOverriding : null} />
      <SmsConfirmation mode={table.smsConfirmation} mayChange={mayOverride} />
      <ConsentOverrides table={table} mayEnd={mayOverride} />
      {overriding && <OverrideDialog table={table} {...overriding} onClose={() => setOverriding(null)} />}
    </Stack>
  )
}

function Rules({ table }: { table: ConsentTable }) {
  return (
    <section aria-labelledby="consent-rules">
      <Title order={3} id="consent-rules">
        The four rules
      </Title>
      <dl className="consent-rules">
        {table.rules.map(({ name, title, sentence }) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>{sentence}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Countries({
  table,
  onOverride,
}: {
  table: ConsentTable
  onOverride: ((overriding: RuleToRelax) => void) | null
}) {
  const [search, setSearch] = useState('')
  const found = search.trim() ? findCountries(search) : null
  const groups = groupCountries(table, found)
  const titles = new Map<RuleName, string>(table.rules.map(({ name, title }) => [name, title]))
  return (
    <section aria-labelledby="consent-countries">
      <Title order={3} id="consent-countries">
        Rules by country
      </Title>
      <Text fz="sm" c="dimmed" mt={4}>
        The shopper’s country comes from the address they entered, or from the country code of their phone number.
      </Text>
      <TextInput
        type="search"
        my="sm"
        maw={360}
        aria-label="Find a country"
        placeholder="Find a country"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search ? <CloseButton aria-label="Clear search" onClick={() => setSearch('')} /> : null}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <VisuallyHidden role="status">
        {found && formatCounted(found.length, 'country found', 'countries found')}
      </VisuallyHidden>
      {groups.length === 0 ? (
        <Empty icon={IconMapOff} text="No country has this name." />
      ) : (
        <CountryGroups table={table} groups={groups} titles={titles} onOverride={onOverride} />
      )}
    </section>
  )
}
