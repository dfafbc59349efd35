import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { AudienceFilters } from '../../shared/audience.ts'
import type { CampaignType } from '../../shared/campaigns.ts'
import { customerTexts } from '../../shared/customers.ts'
import { MorePeople, NoPeople } from '../discount-mail/MorePeople.tsx'
import { type Listed, usePeople } from '../discount-mail/queries.ts'
import { personOf } from '../discount-mail/rules.ts'
import { counted, formatCount } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { Money } from '../ui/Money.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { useAudienceCount } from './queries.ts'

interface Props {
  /** Those who left a cart; else all customers. */
  abandonedOnly: boolean
  filters: AudienceFilters
  type: CampaignType
  emails: readonly string[]
  isReadOnly: boolean
  onChange: (emails: string[]) => void
  /** Instead of some: all that match, at each run. */
  onAll: () => void
}

/** People chosen one by one, by their address; the list is searched on the server and goes on where it ends. */
export function PeoplePicker({ abandonedOnly, filters, type, emails, isReadOnly, onChange, onAll }: Props) {
  const [search, setSearch] = useState('')
  const people = usePeople({ search, abandonedOnly })
  return (
    <Stack gap="sm" component="section" aria-label="Customers">
      <SearchBox label="Search customers" value={search} onSearch={setSearch} />
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          {abandonedOnly && !isReadOnly && <SelectAll filters={filters} type={type} onAll={onAll} />}
          <Button
            variant="subtle"
            size="compact-sm"
            disabled={isReadOnly || emails.length === 0}
            onClick={() => onChange([])}
          >
            Deselect all
          </Button>
        </Group>
        <Text fz="sm" c="dimmed" className="tabular" role="status">
          {counted(emails.length, 'customer')} selected
        </Text>
      </Group>
      <Loaded
        query={people}
        loading={<LoadingRows count={4} />}
        failed={customerTexts.failed}
        wordsOf={() => customerTexts.fetchFailed}
      >
        {({ pages }) => {
          const listed = pages.flatMap((page) => page.customers)
          if (listed.length === 0) return <NoPeople search={search} abandonedOnly={abandonedOnly} />
          return (
            <div className="campaign-people" aria-busy={people.isPlaceholderData}>
              <ul aria-label="Customers to choose from">
                {listed.map((customer) => (
                  <Person
                    key={customer._id}
                    customer={customer}
                    emails={emails}
                    isReadOnly={isReadOnly}
                    onChange={onChange}
                  />
                ))}
              </ul>
              <MorePeople people={people} />
            </div>
          )
        }}
      </Loaded>
      <Elsewhere
        emails={emails}
        listed={people.data?.pages.flatMap((page) => page.customers) ?? []}
        isReadOnly={isReadOnly}
        onChange={onChange}
      />
    </Stack>
  )
}

function SelectAll({ filters, type, onAll }: Pick<Props, 'filters' | 'type' | 'onAll'>) {
  const targetAudience = { type: 'abandoned_carts', mode: 'matching', filters } as const
  const { data } = useAudienceCount(type === 'push' ? null : { type, targetAudience })
  return (
    <Button variant="default" size="compact-sm" onClick={onAll}>
      Select all {data && formatCount(data.total)} matching
    </Button>
  )
}

interface PersonProps extends Pick<Props, 'emails' | 'isReadOnly' | 'onChange'> {
  customer: Listed
}

/** Whoever has no address cannot be chosen by it. */
function Person({ customer, emails, isReadOnly, onChange }: PersonProps) {
  const { name } = personOf(customer)
  const { customer_email: email, cart_value: value, currency } = customer
  const isChosen = email !== null && emails.includes(email)
  const toggle = () => {
    if (email) onChange(isChosen ? emails.filter((other) => other !== email) : [...emails, email])
  }
  return (
    <li>
      <Checkbox
        label={name}
        {...(email !== name && { description: email ?? 'No email' })}
        disabled={isReadOnly || email === null}
        checked={isChosen}
        onChange={toggle}
      />
      {value !== undefined && currency && (
        <Text fz="sm" className="tabular">
          <Money amount={value} currency={currency} />
        </Text>
      )}
    </li>
  )
}

const SHOWN_ELSEWHERE = 20

/** Chosen, and not in what is listed: found by another search, or kept from before. */
function Elsewhere({
  emails,
  listed,
  isReadOnly,
  onChange,
}: Pick<Props, 'emails' | 'isReadOnly' | 'onChange'> & { listed: Listed[] }) {
  const known = new Set(listed.map(({ customer_email }) => customer_email))
  const others = emails.filter((email) => !known.has(email))
  if (others.length === 0) return null
  return (
    <div>
      <Text fz="sm" c="dimmed" mb={4}>
        Also selected
      </Text>
      <Group gap={6}>
        {others.slice(0, SHOWN_ELSEWHERE).map((email) => (
          <Button
            key={email}
            variant="default"
            size="compact-sm"
            disabled={isReadOnly}
            aria-label={`Deselect ${email}`}
            onClick={() => onChange(emails.filter((other) => other !== email))}
          >
            {email} ×
          </Button>
        ))}
        {others.length > SHOWN_ELSEWHERE && (
          <Text fz="sm">and {formatCount(others.length - SHOWN_ELSEWHERE)} more</Text>
        )}
      </Group>
    </div>
  )
}
