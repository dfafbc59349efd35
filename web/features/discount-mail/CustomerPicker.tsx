import { Button, Checkbox, Group, Input, SegmentedControl, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import { customerTexts } from '../../../shared/marketing/customers.ts'
import { formatCount } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { useAudiences } from '../../kits/audiences/queries.ts'
import { SavedAudience } from '../../kits/audiences/SavedAudience.tsx'
import { LoadMoreCustomers, NoCustomers } from './LoadMoreCustomers.tsx'
import type { ListedCustomer, usePeople } from './queries.ts'
import {
  allCustomers,
  countChosen,
  formatCustomers,
  isChosen,
  noCustomers,
  type PeopleFilter,
  type RecipientChoice,
  toggle,
  toPerson,
} from './rules.ts'

interface Props {
  people: ReturnType<typeof usePeople>
  filter: PeopleFilter
  chosen: RecipientChoice
  error: string | null
  /** Another search or filter cleared "all selected". */
  isDropped: boolean
  onFilter: (filter: PeopleFilter) => void
  onChoose: (chosen: RecipientChoice) => void
}

/** Picks customers, those with an abandoned cart first. "All matches" includes customers not loaded yet. */
export function CustomerPicker({ people, filter, chosen, error, isDropped, onFilter, onChoose }: Props) {
  const problemId = useId()
  const { audiences = [] } = useAudiences(true).data ?? {}
  return (
    <Stack gap="sm" component="section" aria-label="Customers" aria-describedby={error ? problemId : undefined}>
      <SegmentedControl
        aria-label="Customers to choose from"
        value={filter.abandonedOnly ? 'abandoned' : 'all'}
        onChange={(value) => onFilter({ search: filter.search, abandonedOnly: value === 'abandoned' })}
        data={[
          { value: 'abandoned', label: 'With an abandoned cart' },
          { value: 'all', label: 'All customers' },
        ]}
      />
      {filter.abandonedOnly && audiences.length > 0 && (
        <SavedAudience
          audiences={audiences}
          value={filter.audienceId ?? ''}
          onChange={(audience) => onFilter({ ...filter, filters: audience?.filters, audienceId: audience?.id })}
        />
      )}
      <SearchBox
        label="Search customers"
        value={filter.search}
        isBusy={people.isPlaceholderData}
        onSearch={(search) => search !== filter.search && onFilter({ ...filter, search })}
      />
      {isDropped && (
        <Notice tone="info" isLive>
          The filter changed, so the selection was cleared. Select again.
        </Notice>
      )}
      <Loaded
        query={people}
        loading={<LoadingRows count={4} />}
        failed={customerTexts.failed}
        getErrorText={() => customerTexts.fetchFailed}
      >
        {(data) => <People pages={data.pages} people={people} filter={filter} chosen={chosen} onChoose={onChoose} />}
      </Loaded>
      {error && <Input.Error id={problemId}>{error}</Input.Error>}
    </Stack>
  )
}

interface PeopleProps extends Pick<Props, 'people' | 'filter' | 'chosen' | 'onChoose'> {
  pages: NonNullable<Props['people']['data']>['pages']
}

function People({ pages, people, filter, chosen, onChoose }: PeopleProps) {
  const { total, isCapped, lookedThrough } = pages[0]!
  const customers = pages.flatMap((page) => page.customers)
  if (customers.length === 0) return <NoCustomers {...filter} />
  const count = countChosen(chosen, total)
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            // The count still belongs to the previous filter.
            disabled={people.isPlaceholderData}
            onClick={() => onChoose(allCustomers)}
          >
            Select all {formatCount(total)}
            {isCapped && '+'}
          </Button>
          <Button variant="subtle" size="compact-sm" disabled={count === 0} onClick={() => onChoose(noCustomers)}>
            Deselect all
          </Button>
        </Group>
        <Text fz="sm" c="dimmed" className="tabular" role="status">
          {formatCustomers(count, isCapped && chosen.kind === 'all')} selected
        </Text>
      </Group>
      <div className="people" aria-busy={people.isPlaceholderData}>
        <ul aria-label="Customers to choose from">
          {customers.map((customer) => (
            <PersonRow key={customer._id} customer={customer} chosen={chosen} onChoose={onChoose} />
          ))}
        </ul>
        <LoadMoreCustomers people={people} />
      </div>
      {lookedThrough && (
        <Text fz="sm" c="dimmed">
          No name, email or number begins with “{filter.search}”. These contain it anywhere, among the newest{' '}
          {formatCount(lookedThrough)} customers.
        </Text>
      )}
    </>
  )
}

function PersonRow({ customer, chosen, onChoose }: { customer: ListedCustomer } & Pick<Props, 'chosen' | 'onChoose'>) {
  const person = toPerson(customer)
  const { customer_email: email, cart_value: value, currency } = customer
  return (
    <li>
      <Checkbox
        className="person"
        label={person.name}
        {...(email && email !== person.name && { description: email })}
        checked={isChosen(chosen, person.id)}
        onChange={() => onChoose(toggle(chosen, person))}
      />
      {value !== undefined && currency && (
        <Text fz="sm" className="tabular">
          <Money amount={value} currency={currency} />
        </Text>
      )}
    </li>
  )
}
