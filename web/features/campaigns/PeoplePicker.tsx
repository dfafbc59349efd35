import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { customerTexts } from '../../../shared/marketing/customers.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { LoadMoreCustomers, NoCustomers } from '../discount-mail/LoadMoreCustomers.tsx'
import { type ListedCustomer, usePeople } from '../discount-mail/queries.ts'
import { type PeopleFilter, toPerson } from '../discount-mail/rules.ts'
import { useAudienceCount } from './queries.ts'
import { countChosen, type Draft, selectPhones } from './rules.ts'

interface Props {
  draft: Draft
  /** Lists shoppers with carts that match the filters, otherwise all customers. */
  abandonedOnly: boolean
  isReadOnly: boolean
  onChange: (next: Partial<Draft>) => void
}

const PAUSE_MS = 400

/** Picks customers by email or number. Search runs on the server; the list loads more at its end. */
export function PeoplePicker({ draft, abandonedOnly, isReadOnly, onChange }: Props) {
  const [search, setSearch] = useState('')
  const [filters] = useDebouncedValue(draft.filters, PAUSE_MS)
  const isText = draft.type === 'sms' || draft.type === 'whatsapp'
  const filter: PeopleFilter = {
    search,
    abandonedOnly,
    ...(abandonedOnly && { filters, channel: isText ? (draft.type as 'sms' | 'whatsapp') : 'email' }),
  }
  const people = usePeople(filter)
  const listed = people.data?.pages.flatMap((page) => page.customers) ?? []
  const chosen = countChosen(draft)
  return (
    <Stack gap="sm" component="section" aria-label="Customers">
      <SearchBox label="Search customers" value={search} onSearch={setSearch} />
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          {abandonedOnly && !isReadOnly && <SelectAll draft={draft} onAll={() => onChange({ mode: 'matching' })} />}
          <Button
            variant="subtle"
            size="compact-sm"
            disabled={isReadOnly || chosen === 0}
            onClick={() => onChange({ emails: [], phones: [] })}
          >
            Deselect all
          </Button>
        </Group>
        <Text fz="sm" c="dimmed" className="tabular" role="status">
          {formatCounted(chosen, 'customer')} selected
        </Text>
      </Group>
      <Loaded
        query={people}
        loading={<LoadingRows count={4} />}
        failed={customerTexts.failed}
        getErrorText={() => customerTexts.fetchFailed}
      >
        {() =>
          listed.length === 0 ? (
            <NoCustomers {...filter} />
          ) : (
            <div className="campaign-people" aria-busy={people.isPlaceholderData}>
              <ul aria-label="Customers to choose from">
                {listed.map((customer) => (
                  <Person
                    key={customer._id}
                    customer={customer}
                    draft={draft}
                    isText={isText}
                    isReadOnly={isReadOnly}
                    onChange={onChange}
                  />
                ))}
              </ul>
              <LoadMoreCustomers people={people} />
            </div>
          )
        }
      </Loaded>
      <ChosenElsewhere draft={draft} listed={listed} isReadOnly={isReadOnly} onChange={onChange} />
    </Stack>
  )
}

function SelectAll({ draft: { type, filters }, onAll }: Pick<Props, 'draft'> & { onAll: () => void }) {
  const targetAudience = { type: 'abandoned_carts', mode: 'matching', filters } as const
  const { data } = useAudienceCount({ type, targetAudience })
  return (
    <Button variant="default" size="compact-sm" onClick={onAll}>
      Select all {data && formatCount(data.total)} matching
    </Button>
  )
}

interface PersonProps extends Pick<Props, 'draft' | 'isReadOnly' | 'onChange'> {
  customer: ListedCustomer
  isText: boolean
}

/** Identified by email, or by number in SMS and WhatsApp campaigns. Customers with neither cannot be chosen. */
function Person({ customer, draft, isText, isReadOnly, onChange }: PersonProps) {
  const { name } = toPerson(customer)
  const { customer_email: email, phone, cart_value: value, currency } = customer
  const list = email === null && isText ? 'phones' : 'emails'
  const address = email ?? (isText ? phone : null)
  const isChosen = address !== null && draft[list].includes(address)
  const toggle = () => {
    if (address === null) return
    onChange({ [list]: isChosen ? draft[list].filter((other) => other !== address) : [...draft[list], address] })
  }
  const missing = isText ? 'No email and no number' : 'No email'
  return (
    <li>
      <Checkbox
        label={name}
        {...(address !== name && { description: address ?? missing })}
        disabled={isReadOnly || address === null}
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

const MAX_OTHERS = 20

/** Chosen but not in the current list: found by another search or saved earlier. */
function ChosenElsewhere({
  draft,
  listed,
  isReadOnly,
  onChange,
}: Pick<Props, 'draft' | 'isReadOnly' | 'onChange'> & { listed: ListedCustomer[] }) {
  const known = new Set(listed.flatMap(({ customer_email: email, phone }) => email ?? phone ?? []))
  const others = [...draft.emails, ...selectPhones(draft)].filter((address) => !known.has(address))
  if (others.length === 0) return null
  const without = (address: string) => ({
    emails: draft.emails.filter((other) => other !== address),
    phones: draft.phones.filter((other) => other !== address),
  })
  return (
    <div>
      <Text fz="sm" c="dimmed" mb={4}>
        Also selected
      </Text>
      <Group gap={6}>
        {others.slice(0, MAX_OTHERS).map((address) => (
          <Button
            key={address}
            variant="default"
            size="compact-sm"
            disabled={isReadOnly}
            aria-label={`Deselect ${address}`}
            onClick={() => onChange(without(address))}
          >
            {address} ×
          </Button>
        ))}
        {others.length > MAX_OTHERS && <Text fz="sm">and {formatCount(others.length - MAX_OTHERS)} more</Text>}
      </Group>
    </div>
  )
}
