import './ledger.css'
import { Button, Card, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import { IconScript, IconSearchOff } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LedgerChannel, LedgerStatus } from '../../../shared/marketing/ledger.ts'
import {
  exportLedger,
  getSourceText,
  ledgerChannels,
  ledgerStatuses,
  searchLedger,
  statusText,
} from '../../../shared/marketing/ledger.ts'
import { useHasPermission, useStore } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { DownloadButton, useDownload } from '../../core/ui/Download.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { ShowMore } from '../../core/ui/ShowMore.tsx'
import { LedgerEntries } from './LedgerEntries.tsx'
import { channelText } from './ledger-text.ts'

/** Searches the append-only consent ledger: who agreed or objected to what, when, and the evidence. */
export function LedgerSearch() {
  const [query, setQuery] = useState<LedgerQuery>(noFilter)
  const ledger = useLedger(query)
  const mayExport = useHasPermission('account:export')
  const exporting = useExportLedger()
  const pages = ledger.data?.pages ?? []
  const entries = pages.flatMap((page) => page.entries)
  const isFiltered = Object.values(query).some(Boolean)
  const problem = ledger.error instanceof ApiError ? ledger.error.fields.address : undefined
  return (
    <Card>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ flex: '1 1 260px' }}>
          <Title order={2}>Consent ledger</Title>
          <Text fz="sm" c="dimmed" mt={4}>
            Every opt-in and opt-out, with what was shown and when. Entries are added, never changed. Addresses are not
            shown; to find a person, enter their full email address or phone number.
          </Text>
        </div>
        {mayExport && (
          <DownloadButton
            size="xs"
            isBusy={exporting.isPending}
            disabled={entries.length === 0}
            onClick={() => exporting.mutate(query)}
          />
        )}
      </Group>
      <Filters query={query} sources={pages[0]?.sources ?? []} problem={problem} onChange={setQuery} />
      {exporting.error && (
        <Notice tone="bad" title="The file could not be created" isLive>
          {exporting.error.message}
        </Notice>
      )}
      {!problem && (
        <Loaded query={ledger} loading={<LoadingList count={5} />} failed="The ledger could not be loaded">
          {() =>
            entries.length === 0 ? (
              <Nothing isFiltered={isFiltered} onClear={() => setQuery(noFilter)} />
            ) : (
              <>
                <LedgerEntries entries={entries} isStale={ledger.isPlaceholderData} />
                <ShowMore list={ledger} />
              </>
            )
          }
        </Loaded>
      )}
    </Card>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return isFiltered ? (
    <Empty icon={IconSearchOff} text="No ledger entry matches this search.">
      <Button variant="default" size="xs" onClick={onClear}>
        Clear the search
      </Button>
    </Empty>
  ) : (
    <Empty
      icon={IconScript}
      title="No opt-ins or opt-outs yet"
      text="Consent given at your checkout and every unsubscribe are recorded here as they happen."
      isFirst
    />
  )
}

interface FilterProps {
  query: LedgerQuery
  sources: readonly string[]
  problem: string | undefined
  onChange: (query: LedgerQuery) => void
}

function Filters({ query, sources, problem, onChange }: FilterProps) {
  const set = (changed: Partial<LedgerQuery>) => onChange({ ...query, ...changed })
  const day = (name: 'from' | 'to', label: string) => (
    <TextInput
      label={label}
      type="date"
      value={query[name]}
      onChange={({ currentTarget: { value } }) => set({ [name]: value })}
    />
  )
  return (
    <div className="ledger-filters">
      <div className="wide">
        <SearchBox
          label="Full email address or phone number"
          value={query.address}
          onSearch={(address) => set({ address })}
        />
        {problem && (
          <Text fz="sm" c="red" mt={4} role="alert">
            {problem}
          </Text>
        )}
      </div>
      <NativeSelect
        label="Channel"
        value={query.channel}
        onChange={({ currentTarget: { value } }) => set({ channel: value as LedgerQuery['channel'] })}
        data={[{ value: '', label: 'All' }, ...ledgerChannels.map((value) => ({ value, label: channelText[value] }))]}
      />
      <NativeSelect
        label="Decision"
        value={query.status}
        onChange={({ currentTarget: { value } }) => set({ status: value as LedgerQuery['status'] })}
        data={[{ value: '', label: 'All' }, ...ledgerStatuses.map((value) => ({ value, label: statusText[value] }))]}
      />
      <NativeSelect
        label="Source"
        value={query.source}
        onChange={({ currentTarget: { value } }) => set({ source: value })}
        data={[{ value: '', label: 'All' }, ...sources.map((value) => ({ value, label: getSourceText(value) }))]}
      />
      {day('from', 'From')}
      {day('to', 'Until')}
    </div>
  )
}

interface LedgerQuery {
  address: string
  channel: LedgerChannel | ''
  status: LedgerStatus | ''
  source: string
  from: string
  to: string
}

const noFilter: LedgerQuery = { address: '', channel: '', status: '', source: '', from: '', to: '' }

/** Empty filters are left out. */
const toQuery = ({ channel, status, source, from, to, ...rest }: LedgerQuery) => ({
  ...rest,
  ...(channel && { channel }),
  ...(status && { status }),
  ...(source && { source }),
  ...(from && { from }),
  ...(to && { to }),
})

function useLedger(query: LedgerQuery) {
  const storeId = useStore()?.id
  return useInfiniteQuery({
    queryKey: ['ledger', storeId, query],
    queryFn: ({ pageParam, signal }) =>
      call(searchLedger, { query: { ...toQuery(query), ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

const useExportLedger = () => useDownload((query: LedgerQuery) => call(exportLedger, { query: toQuery(query) }))
