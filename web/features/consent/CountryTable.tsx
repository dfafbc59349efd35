import './country.css'
import { Button, Card, CloseButton, Radio, Stack, Text, TextInput, Title, VisuallyHidden } from '@mantine/core'
import { IconMapOff, IconSearch } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getCountryName } from '../../../shared/insights/analytics-definitions.ts'
import type { ConsentOverrideView, ConsentTable, RuleName } from '../../../shared/shoppers/consent.ts'
import { consentTable, endConsentOverride, setSmsConfirmation } from '../../../shared/shoppers/consent.ts'
import { useHasPermission, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import {
  type CountryGroup,
  channelNames,
  channels,
  findCountries,
  findOverrides,
  groupCountries,
  type RuleToRelax,
} from './country-groups.ts'
import { useRefetchTable } from './country-queries.ts'
import { OverrideDialog } from './OverrideDialog.tsx'

/** Consent rules by country with their reasons, and the rules the team relaxed. */
export function CountryTable() {
  const table = useConsentTable()
  return (
    <Card>
      <Title order={2}>Who you can contact</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md" maw={680}>
        Recoup applies these rules by country and channel. A message that is not allowed is not sent, and the cart shows
        why. People who opted out are never contacted.
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

/** Rules the team relaxed: who, when and on what legal ground. */
function ConsentOverrides({ table, mayEnd }: { table: ConsentTable; mayEnd: boolean }) {
  const [ending, setEnding] = useState<ConsentOverrideView | null>(null)
  const end = useEndConsentOverride()
  const titles = new Map<RuleName, string>(table.rules.map(({ name, title }) => [name, title]))
  const inForce = table.overrides.filter(({ endedAt }) => !endedAt)
  const ended = table.overrides.filter(({ endedAt }) => endedAt)
  const close = () => {
    end.reset()
    setEnding(null)
  }
  return (
    <section aria-labelledby="consent-overridden">
      <Title order={3} id="consent-overridden">
        Changed rules
      </Title>
      {inForce.length === 0 ? (
        <Text fz="sm" c="dimmed" mt={4}>
          None. The rules above apply.
        </Text>
      ) : (
        <ul className="overrides">
          {inForce.map((each) => (
            <li key={each.id}>
              <Entry override={each} titles={titles} />
              {mayEnd && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Restore the rule: ${channelNames[each.channel]}, ${formatPlace(each.country)}`}
                  onClick={() => setEnding(each)}
                >
                  Restore
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <details className="overrides-ended">
          <summary>Ended ({ended.length})</summary>
          <ul className="overrides">
            {ended.map((each) => (
              <li key={each.id}>
                <Entry override={each} titles={titles} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {ending && (
        <Confirm
          opened
          title="Restore the original rule"
          confirmLabel="Restore rule"
          isBusy={end.isPending}
          problem={end.error?.message}
          onConfirm={() => end.mutate(ending.id, { onSuccess: close })}
          onClose={close}
        >
          <Text fz="sm">
            {channelNames[ending.channel]}, {formatPlace(ending.country)}: the rule “{titles.get(ending.from)}” applies
            again to every message not yet sent. The change stays on record, with who made it and when.
          </Text>
        </Confirm>
      )}
    </section>
  )
}

function Entry({ override, titles }: { override: ConsentOverrideView; titles: ReadonlyMap<RuleName, string> }) {
  const { channel, country, from, to, legalGround, createdAt, createdBy, endedAt, endedBy } = override
  return (
    <div>
      <strong>
        {channelNames[channel]}, {formatPlace(country)}
      </strong>
      <Text fz="sm">
        “{titles.get(to)}” instead of “{titles.get(from)}”
      </Text>
      <Text fz="sm" className="override-ground">
        {legalGround}
      </Text>
      <Text fz="xs" c="dimmed">
        {createdBy}, <DateTime at={createdAt} />
        {endedAt && (
          <>
            ; ended by {endedBy}, <DateTime at={endedAt} />
          </>
        )}
      </Text>
    </div>
  )
}

interface Props {
  table: ConsentTable
  groups: CountryGroup[]
  titles: ReadonlyMap<RuleName, string>
  /** null: the member may not change rules. */
  onOverride: ((overriding: RuleToRelax) => void) | null
}

/** Groups countries with the same rules. */
function CountryGroups({ groups, ...rest }: Props) {
  return (
    <ul className="country-groups">
      {groups.map((group) => (
        <Group key={group.key} group={group} {...rest} />
      ))}
    </ul>
  )
}

const nameGroup = ({ countries }: CountryGroup) =>
  countries.length > 0 ? countries.map(getCountryName).join(', ') : 'All other countries, and unknown countries'

function Group({ group, ...rest }: Omit<Props, 'groups'> & { group: CountryGroup }) {
  return (
    <li>
      <Title order={4} className="country-names" aria-label={nameGroup(group)}>
        {group.countries.length > 0
          ? group.countries.map((country) => (
              <span key={country} className="country-chip">
                {getCountryName(country)}
              </span>
            ))
          : nameGroup(group)}
      </Title>
      <dl className="country-channels">
        {channels.map((channel) => (
          <Channel key={channel} group={group} channel={channel} {...rest} />
        ))}
      </dl>
    </li>
  )
}

function Channel({ table, group, channel, titles, onOverride }: Omit<Props, 'groups'> & RuleToRelax) {
  const rule = group.rules[channel]
  const overridden = findOverrides(table, group, channel)
  const isOverridable =
    table.overridable.some((each) => each.channel === channel && each.from === rule) &&
    !(group.countries.length === 1 && overridden.length > 0)
  return (
    <div>
      <dt>{channelNames[channel]}</dt>
      <dd>
        <span className="country-rule">{titles.get(rule)}</span>
        {overridden.map((each) => (
          <Text key={each.id} component="span" fz="sm" className="country-overridden">
            Changed for {formatPlace(each.country)}: {titles.get(each.to)}
          </Text>
        ))}
        {group.also[channel] && (
          <Text component="span" fz="sm" c="dimmed">
            {group.also[channel]}
          </Text>
        )}
        {onOverride && isOverridable && (
          <Button
            variant="subtle"
            size="compact-sm"
            className="country-override"
            aria-label={`Change the rule for ${channelNames[channel]}: ${nameGroup(group)}`}
            onClick={() => onOverride({ group, channel })}
          >
            Change rule…
          </Button>
        )}
      </dd>
    </div>
  )
}

type Mode = ConsentTable['smsConfirmation']

/** Which shoppers must confirm their SMS consent by reply. */
function SmsConfirmation({ mode, mayChange }: { mode: Mode; mayChange: boolean }) {
  const save = useSmsConfirmation()
  const current = save.isPending ? save.variables : mode
  return (
    <section aria-labelledby="consent-confirmation">
      <Title order={3} id="consent-confirmation">
        Confirming SMS consent
      </Title>
      <Text fz="sm" c="dimmed" mt={4} maw={680}>
        Anyone can enter someone else’s number. One SMS asks that number to confirm: “Do you want text messages about
        your cart? Then reply YES.” Without a reply, nothing more is sent.
      </Text>
      <Radio.Group
        mt="sm"
        aria-label="Who is asked to confirm"
        value={current}
        onChange={(value) => save.mutate(value as Mode)}
      >
        <Stack gap="xs">
          <Radio
            value="where_required"
            disabled={!mayChange}
            label="Where the rule requires it"
            description="Germany, Austria, and countries whose rules are not listed above."
          />
          <Radio
            value="page_script"
            disabled={!mayChange}
            label="Also people who opted in on your shop’s pages"
            description="The tracking script reports these consents and cannot verify who ticked the box. Consent recorded with an order needs no confirmation."
          />
          <Radio
            value="always"
            disabled={!mayChange}
            label="Everyone"
            description="Fewer people confirm, but no one gets a text by mistake."
          />
        </Stack>
      </Radio.Group>
      {save.error && (
        <Notice tone="bad" title="Your change could not be saved" isLive>
          {save.error.message}
        </Notice>
      )}
      {save.isSuccess && (
        <Text fz="sm" c="dimmed" mt="xs" role="status">
          Saved.
        </Text>
      )}
    </section>
  )
}

const formatPlace = (country: string): string =>
  country === '*' ? 'every country with this rule' : getCountryName(country)

const buildTableKey = (storeId: string | undefined) => ['consent-table', storeId]

function useConsentTable() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: buildTableKey(storeId), queryFn: ({ signal }) => call(consentTable, { signal }) })
}

function useEndConsentOverride() {
  const onSettled = useRefetchTable()
  return useMutation({
    mutationFn: (overrideId: string) => call(endConsentOverride, { params: { overrideId } }),
    onSettled,
  })
}

function useSmsConfirmation() {
  const onSettled = useRefetchTable()
  return useMutation({
    mutationFn: (mode: ConsentTable['smsConfirmation']) => call(setSmsConfirmation, { body: { mode } }),
    onSettled,
  })
}
