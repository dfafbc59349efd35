import './ledger.css'
import { Button, Card, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import { IconDownload, IconScript, IconSearchOff } from '@tabler/icons-react'
import { useState } from 'react'
import { ledgerChannels, ledgerStatuses, sourceWords, statusWords } from '../../shared/ledger.ts'
import { useMay } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { Empty } from '../ui/Empty.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { LedgerEntries } from './LedgerEntries.tsx'
import { type LedgerQuery, noFilter, useExportLedger, useLedger } from './ledger-queries.ts'
import { channelWords } from './ledger-words.ts'

/** Who said yes or no to what, when, and what proves it. Only ever added to. */
export function LedgerSearch() {
  const [query, setQuery] = useState<LedgerQuery>(noFilter)
  const ledger = useLedger(query)
  const mayExport = useMay('account:export')
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
            Every yes and every no, with what was shown and when. It is only added to, never changed. People stand here
            without their address; to find somebody, type their whole address or number.
          </Text>
        </div>
        {mayExport && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            loading={exporting.isPending}
            disabled={entries.length === 0}
            onClick={() => exporting.mutate(query)}
          >
            Export as CSV
          </Button>
        )}
      </Group>
      <Filters query={query} sources={pages[0]?.sources ?? []} problem={problem} onChange={setQuery} />
      {exporting.error && (
        <Notice tone="bad" title="The file could not be made" isLive>
          {exporting.error.message}
        </Notice>
      )}
      {problem ? null : ledger.isPending ? (
        <LoadingList count={5} />
      ) : ledger.error ? (
        <Failed title="The ledger could not be loaded" error={ledger.error} onRetry={() => ledger.refetch()} />
      ) : entries.length === 0 ? (
        <Nothing isFiltered={isFiltered} onClear={() => setQuery(noFilter)} />
      ) : (
        <>
          <LedgerEntries entries={entries} isStale={ledger.isPlaceholderData} />
          {ledger.hasNextPage && (
            <Button
              variant="default"
              mt="md"
              loading={ledger.isFetchingNextPage}
              onClick={() => ledger.fetchNextPage()}
            >
              Show more
            </Button>
          )}
        </>
      )}
    </Card>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return isFiltered ? (
    <Empty icon={IconSearchOff} text="Nothing in the ledger fits this search.">
      <Button variant="default" size="xs" onClick={onClear}>
        Clear the search
      </Button>
    </Empty>
  ) : (
    <Empty
      icon={IconScript}
      title="Nobody has said yes or no yet"
      text="What shoppers agree to at your checkout, and every unsubscribe, is written down here as it happens."
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
          label="Whole email address or phone number"
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
        data={[{ value: '', label: 'All' }, ...ledgerChannels.map((value) => ({ value, label: channelWords[value] }))]}
      />
      <NativeSelect
        label="Answer"
        value={query.status}
        onChange={({ currentTarget: { value } }) => set({ status: value as LedgerQuery['status'] })}
        data={[{ value: '', label: 'All' }, ...ledgerStatuses.map((value) => ({ value, label: statusWords[value] }))]}
      />
      <NativeSelect
        label="Where"
        value={query.source}
        onChange={({ currentTarget: { value } }) => set({ source: value })}
        data={[{ value: '', label: 'All' }, ...sources.map((value) => ({ value, label: sourceWords(value) }))]}
      />
      {day('from', 'From')}
      {day('to', 'Until')}
    </div>
  )
}
