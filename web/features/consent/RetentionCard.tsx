import { Anchor, Card, NumberInput, Stack, Switch, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import {
  countRetention,
  MAX_COUNTED,
  type Retention,
  type RetentionRun,
  readRetention,
  retentionDays,
  saveRetention,
} from '../../../shared/workspace/retention.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { DownloadButton } from '../../core/ui/Download.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted, formatDay } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { useExport } from '../accounts/account-queries.ts'

/** Retention period, whom it would erase, and what recent nights erased (C10). */
export function RetentionCard() {
  const retention = useRetention()
  return (
    <Card component="section" aria-label="Retention" style={{ overflow: 'visible' }}>
      <Title order={2}>How long data is kept</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        People without an order are erased, with their carts, this many days after they were last seen. Customers are
        erased this many days after their last order, cart or sign-in. Reports, order totals, control groups and the
        suppression list stay.
      </Text>
      {retention.isPending && <LoadingList count={2} />}
      {retention.error && !retention.data && (
        <Failed
          title="The retention settings could not be loaded"
          error={retention.error}
          onRetry={() => retention.refetch()}
        />
      )}
      {retention.data && <RetentionForm key={String(retention.data.days)} saved={retention.data} />}
    </Card>
  )
}

const isDays = (days: number | string) =>
  Number.isInteger(days) && Number(days) >= retentionDays.min && Number(days) <= retentionDays.max

function RetentionForm({ saved }: { saved: Retention }) {
  const save = useSaveRetention()
  const [isOn, setOn] = useState(saved.days !== null)
  const [days, setDays] = useState<number | string>(saved.days ?? retentionDays.usual)
  const isValid = !isOn || isDays(days)
  const newDays = isOn ? Number(days) : null
  const isChanged = newDays !== saved.days
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (isValid) save.mutate(newDays, { onSuccess: () => announce('Retention saved') })
  }
  const discard = () => {
    save.reset()
    setOn(saved.days !== null)
    setDays(saved.days ?? retentionDays.usual)
  }
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Switch
            label="Erase old data every night"
            checked={isOn}
            onChange={(event) => setOn(event.currentTarget.checked)}
          />
          {isOn && (
            <NumberInput
              label="Days"
              min={retentionDays.min}
              max={retentionDays.max}
              allowDecimal={false}
              clampBehavior="none"
              styles={{ wrapper: { width: 140 } }}
              value={days}
              error={isValid ? undefined : `A whole number from ${retentionDays.min} to ${retentionDays.max}`}
              onChange={setDays}
            />
          )}
          {isOn && isValid && <Affected days={Number(days)} isNew={isChanged} />}
          <SaveBar
            isStanding
            saveLabel="Save retention"
            isDirty={isChanged}
            isSaving={save.isPending}
            isDisabled={!isChanged || !isValid}
            problem={save.error && <NotSaved>{save.error.message}</NotSaved>}
            onSave={submit}
            onDiscard={discard}
          />
        </Stack>
      </form>
      <Runs runs={saved.runs} />
    </Stack>
  )
}

/** Shows the number of affected shoppers before saving, with an export link. */
function Affected({ days, isNew }: { days: number; isNew: boolean }) {
  const count = useRetentionCount(days)
  const download = useExport()
  if (count.error)
    return <Failed title="Could not count the people affected" error={count.error} onRetry={() => count.refetch()} />
  if (!count.data)
    return (
      <Text fz="sm" c="dimmed" role="status">
        Counting…
      </Text>
    )
  const { contacts, customers, carts, isMore } = count.data
  const people = contacts + customers
  if (people === 0)
    return (
      <Text fz="sm" role="status">
        No data is that old today.
      </Text>
    )
  return (
    <Notice tone={isNew ? 'warn' : 'info'}>
      <Stack gap="xs" align="flex-start">
        <span role="status">
          The next run erases {formatCounted(contacts, 'person', 'people')} without an order and{' '}
          {formatCounted(customers, 'customer')}, with {formatCounted(carts, 'cart')}.
          {isMore && ` Only the oldest ${formatCount(MAX_COUNTED)} people were counted.`} This cannot be undone.
        </span>
        <DownloadButton
          label="Export all data first"
          size="xs"
          isBusy={download.isPending}
          onClick={() => download.mutate()}
        />
        {download.error && <span role="alert">{download.error.message}</span>}
        <span>
          Only names and addresses?{' '}
          <Anchor component={Link} to="/customers" underline="always">
            Export the list of customers
          </Anchor>
        </span>
      </Stack>
    </Notice>
  )
}

const MAX_RUNS = 7

function Runs({ runs }: { runs: readonly RetentionRun[] }) {
  const recent = runs.slice(0, MAX_RUNS)
  if (recent.length === 0) return null
  return (
    <div>
      <Title order={3} mb="xs">
        Last runs
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, which a keyboard must be able to do */}
      <section aria-label="Last runs" tabIndex={0} style={{ overflowX: 'auto' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {['Day', 'Kept for', 'Without an order', 'Customers', 'Carts', 'Orders', 'Messages'].map(
                (title, column) => (
                  <Table.Th key={title} className={column > 0 ? 'number' : undefined}>
                    {title}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {recent.map((run) => (
              <Table.Tr key={run.day}>
                <Table.Td>
                  {formatDay(run.day)}
                  {run.finishedAt === null && ' (not finished)'}
                </Table.Td>
                {[
                  `${run.days} days`,
                  ...[run.contacts, run.customers, run.counts.carts, run.counts.orders, run.counts.messages].map((n) =>
                    formatCount(n ?? 0),
                  ),
                ].map((text, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                  <Table.Td key={column} className="number">
                    {text}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </div>
  )
}

const key = ['retention'] as const

const useRetention = () =>
  useQuery({ queryKey: key, queryFn: ({ signal }) => call(readRetention, { signal }), refetchOnWindowFocus: false })

/** Counts whom a retention period would erase; asked only for valid numbers. */
const useRetentionCount = (days: number | null) =>
  useQuery({
    queryKey: [...key, 'count', days],
    queryFn: ({ signal }) => call(countRetention, { query: { days: days! }, signal }),
    enabled: days !== null,
    refetchOnWindowFocus: false,
  })

function useSaveRetention() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (days: number | null) => call(saveRetention, { body: { days } }),
    onSuccess: (saved) => queries.setQueryData(key, saved),
  })
}
