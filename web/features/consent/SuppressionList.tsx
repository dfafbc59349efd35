import {
  Button,
  Card,
  Checkbox,
  FileInput,
  Group,
  Modal,
  NativeSelect,
  Progress,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Icon } from '@tabler/icons-react'
import {
  IconBan,
  IconFileImport,
  IconFileText,
  IconFingerprint,
  IconFlag,
  IconHandStop,
  IconMailX,
  IconPlus,
  IconSearchOff,
  IconUserOff,
} from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import type {
  ImportRow,
  RemovedEntry,
  SuppressionEntry,
  SuppressionReason,
} from '../../../shared/shoppers/suppressions.ts'
import {
  addSuppression,
  exportSuppressions,
  importableReasons,
  importSuppressions,
  listDoubtfulSuppressions,
  listSuppressions,
  MAX_IMPORT_ROWS,
  MAX_IMPORT_ROWS_PER_CALL,
  removalByReason,
  removeSuppression,
  type SuppressionFilter,
  suppressionChannels,
  suppressionReasons,
  suppressionTexts,
} from '../../../shared/shoppers/suppressions.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError, BROKEN, call, getErrorText, hasFieldError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { DownloadButton, useDownload } from '../../core/ui/Download.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import type { Tone } from '../../core/ui/Notice.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { ShowMore } from '../../core/ui/ShowMore.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime } from '../../core/ui/Time.tsx'

/** Addresses that get no messages from any of the account's stores, with reasons (C1, C5). */
export function SuppressionList() {
  const [filter, setFilter] = useState<SuppressionFilter>({})
  const [open, setOpen] = useState<'add' | 'import' | null>(null)
  const mayAdd = useHasPermission('carts:write')
  const mayChange = useHasPermission('suppressions:write')
  const download = useExportSuppressions()
  const change = (next: SuppressionFilter) => setFilter(filled({ ...filter, ...next }))
  return (
    <Card padding={0}>
      <div className="suppressions-head">
        <Title order={2}>Suppression list</Title>
        <Text fz="sm" c="dimmed" mt={4}>
          These addresses and numbers get no messages from any of your stores. You can remove entries that you added.
          Unsubscribes and spam reports can only be undone by the person.
        </Text>
        <Group gap="sm" mt="md">
          {mayAdd && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen('add')}>
              Add
            </Button>
          )}
          {mayChange && (
            <>
              <Button
                variant="default"
                leftSection={<IconFileImport size={16} aria-hidden />}
                onClick={() => setOpen('import')}
              >
                Import CSV
              </Button>
              <DownloadButton isBusy={download.isPending} onClick={() => download.mutate(filter)} />
            </>
          )}
        </Group>
        {download.error && (
          <div style={{ marginTop: 12 }}>
            <Notice tone="bad" isLive>
              {getErrorText(download.error, BROKEN)}
            </Notice>
          </div>
        )}
        <Filters filter={filter} onChange={change} />
      </div>
      <DoubtfulEntries mayChange={mayChange} />
      <SuppressionEntries filter={filter} mayChange={mayChange} onShowAll={() => setFilter({})} />
      <AddSuppression opened={open === 'add'} onClose={() => setOpen(null)} />
      <ImportSuppressions opened={open === 'import'} onClose={() => setOpen(null)} />
    </Card>
  )
}

const filled = (filter: SuppressionFilter) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value)) as SuppressionFilter

function Filters({ filter, onChange }: { filter: SuppressionFilter; onChange: (next: SuppressionFilter) => void }) {
  return (
    <Group gap="sm" mt="md">
      <div style={{ flex: '2 1 220px' }}>
        <SearchBox
          label="Search an email or phone number"
          value={filter.search ?? ''}
          onSearch={(search) => onChange({ search })}
        />
      </div>
      <NativeSelect
        aria-label="Reason"
        style={{ flex: '1 1 150px' }}
        value={filter.reason ?? ''}
        onChange={(event) => onChange({ reason: event.currentTarget.value as SuppressionFilter['reason'] })}
        data={[
          { value: '', label: 'Any reason' },
          ...suppressionReasons.map((value) => ({ value, label: suppressionTexts.reasons[value] })),
        ]}
      />
      <NativeSelect
        aria-label="Channel"
        style={{ flex: '1 1 130px' }}
        value={filter.channel ?? ''}
        onChange={(event) => onChange({ channel: event.currentTarget.value as SuppressionFilter['channel'] })}
        data={[
          { value: '', label: 'Any channel' },
          ...suppressionChannels.map((value) => ({ value, label: suppressionTexts.channels[value] })),
        ]}
      />
    </Group>
  )
}

const TEXTS = { both: ['sms', 'whatsapp'], sms: ['sms'], whatsapp: ['whatsapp'] } as const

function AddSuppression({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Add to the suppression list"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AddForm onClose={onClose} />
    </Modal>
  )
}

function AddForm({ onClose }: { onClose: () => void }) {
  const add = useAddSuppression()
  const form = useForm<{ address: string; texts: keyof typeof TEXTS; note: string }>({
    initialValues: { address: '', texts: 'both', note: '' },
    validate: { address: (text) => (text.trim() === '' ? 'Enter an email address or a phone number.' : null) },
  })
  useDraft('suppression', form.isDirty() ? form.values : null, form.setValues)
  const submit = form.onSubmit(({ address, texts, note }) =>
    add.mutate(
      { address, channels: [...TEXTS[texts]], note },
      {
        onSuccess: ({ address: storedAddress, added }) => {
          announce(
            added > 0 ? `${storedAddress} will get no more messages.` : `${storedAddress} is already on the list.`,
          )
          onClose()
        },
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    ),
  )
  const isPhone = /\d/.test(form.values.address) && !/[a-z@]/i.test(form.values.address)
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Email or phone number"
          name="address"
          autoComplete="off"
          data-autofocus
          description="Include the country code in a phone number, as in +1 212 555 0123"
          {...form.getInputProps('address')}
        />
        {isPhone && (
          <NativeSelect
            label="Stop"
            data={[
              { value: 'both', label: 'SMS and WhatsApp' },
              { value: 'sms', label: 'SMS only' },
              { value: 'whatsapp', label: 'WhatsApp only' },
            ]}
            {...form.getInputProps('texts')}
          />
        )}
        <TextInput
          label="Note (optional)"
          name="note"
          autoComplete="off"
          maxLength={200}
          description="For you and your team"
          {...form.getInputProps('note')}
        />
        {add.error && !hasFieldError(add.error as ApiError) && (
          <Notice tone="bad" isLive>
            {add.error.message}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function ImportSuppressions({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Import addresses"
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ChooseFile onClose={onClose} />
    </Modal>
  )
}

const MOST_BYTES = 30 * 1_048_576

function ChooseFile({ onClose }: { onClose: () => void }) {
  const [sheet, setSheet] = useState<Sheet | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const open = async (file: File | null) => {
    setProblem(null)
    setSheet(null)
    if (!file) return
    const read = await readSheet(file)
    if (typeof read === 'string') setProblem(read)
    else setSheet(read)
  }
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        A CSV file with one address per line, such as the unsubscribe list of your previous tool. Importing never
        removes anyone from the list.
      </Text>
      <FileInput
        label="File"
        placeholder="Choose a CSV file"
        accept=".csv,.txt,text/csv"
        leftSection={<IconFileText size={16} aria-hidden />}
        error={problem}
        onChange={open}
      />
      {sheet ? (
        <MapColumns key={sheet.fileName + sheet.rows.length} sheet={sheet} onClose={onClose} />
      ) : (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Cells of the file, or the reason why it cannot be read. */
async function readSheet(file: File): Promise<Sheet | string> {
  if (file.size > MOST_BYTES) return 'This file is larger than 30 MB. Split it into smaller ones.'
  const { default: papa } = await import('papaparse')
  const { data } = papa.parse<string[]>(await file.text(), { skipEmptyLines: false })
  if (!data.some((row) => row.some((cell) => cell.trim() !== ''))) return 'This file is empty.'
  if (data.length > MAX_IMPORT_ROWS) return `This file has more than ${formatCount(MAX_IMPORT_ROWS)} rows. Split it.`
  return { fileName: file.name.slice(0, 200), rows: data }
}

const labels: Record<Field, string> = {
  address: 'Email or phone number',
  channel: 'Channel',
  reason: 'Reason',
  note: 'Note',
}

function MapColumns({ sheet, onClose }: { sheet: Sheet; onClose: () => void }) {
  const [isHeaded, setHeaded] = useState(() => hasHeading(sheet))
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(sheet, hasHeading(sheet)))
  const [reason, setReason] = useState<(typeof importableReasons)[number]>('manual')
  const [done, setDone] = useState(0)
  const load = useImportSuppressions(setDone)
  const rows = buildRows(sheet, mapping, isHeaded)
  if (load.data) return <Report report={load.data} onClose={onClose} />
  const options = listColumns(sheet).map((column) => ({
    value: String(column),
    label: nameColumn(sheet, column, isHeaded),
  }))
  return (
    <Stack gap="md">
      <Checkbox
        label="The first line contains the column names"
        checked={isHeaded}
        onChange={(event) => setHeaded(event.currentTarget.checked)}
      />
      <div className="mapping">
        {fields.map((field) => (
          <NativeSelect
            key={field}
            label={labels[field]}
            value={mapping[field] === null ? '' : String(mapping[field])}
            onChange={(event) => {
              const { value } = event.currentTarget
              setMapping({ ...mapping, [field]: value === '' ? null : Number(value) })
            }}
            data={field === 'address' ? options : [{ value: '', label: 'Not in the file' }, ...options]}
          />
        ))}
      </div>
      <NativeSelect
        label="Reason for rows without one"
        description="Only the person can undo an unsubscribe or a spam report"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value as typeof reason)}
        data={importableReasons.map((value) => ({ value, label: suppressionTexts.reasons[value] }))}
      />
      <Preview rows={rows.slice(0, 5)} mapping={mapping} total={rows.length} />
      {load.isPending && (
        <div role="status">
          <Progress value={(done / rows.length) * 100} aria-label="Rows done" />
          <Text fz="xs" mt={4}>
            {formatCount(done)} of {formatCount(rows.length)} rows
          </Text>
        </div>
      )}
      {load.error && (
        <Notice tone="bad" isLive title="The import stopped">
          {load.error.message} {formatCount(done)} rows were imported before that. Importing the file again is safe:
          nothing is added twice.
        </Notice>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={load.isPending}
          disabled={rows.length === 0}
          onClick={() => load.mutate({ rows, reason, fileName: sheet.fileName })}
        >
          Import {formatCounted(rows.length, 'row')}
        </Button>
      </Group>
    </Stack>
  )
}

function Preview({ rows, mapping, total }: { rows: ReturnType<typeof buildRows>; mapping: Mapping; total: number }) {
  const mapped = fields.filter((field) => mapping[field] !== null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is scrolled by the keyboard too
    <section className="preview-table" aria-label="First rows" tabIndex={0}>
      <table>
        <caption>
          The first {rows.length} of {formatCounted(total, 'row')}
        </caption>
        <thead>
          <tr>
            {mapped.map((field) => (
              <th key={field} scope="col">
                {labels[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.line}>
              {mapped.map((field) => (
                <td key={field}>{row[field] || '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const MAX_REFUSED = 200

function Report({ report, onClose }: { report: ImportReport; onClose: () => void }) {
  const { taken, known, refused } = report
  return (
    <Stack gap="md">
      <Notice
        tone={refused.length > 0 ? 'warn' : 'good'}
        isLive
        title={`${formatCounted(taken, 'entry', 'entries')} added`}
      >
        {known > 0 && <div>{formatCounted(known, 'was', 'were')} already on the list.</div>}
        {refused.length > 0 && <div>{formatCounted(refused.length, 'row was', 'rows were')} skipped:</div>}
      </Notice>
      {refused.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard too
        <section className="refused" aria-label="Skipped rows" tabIndex={0}>
          <ul>
            {refused.slice(0, MAX_REFUSED).map(({ line, problem }) => (
              <li key={line}>
                Line {formatCount(line)}: {problem}
              </li>
            ))}
          </ul>
          {refused.length > MAX_REFUSED && <Text fz="xs">and {formatCount(refused.length - MAX_REFUSED)} more</Text>}
        </section>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}

// Turns the cells of an address file into the rows to send. Pure.

const fields = ['address', 'channel', 'reason', 'note'] as const
type Field = (typeof fields)[number]
/** Column of each field; null if absent. */
type Mapping = Record<Field, number | null>

export interface Sheet {
  fileName: string
  /** All rows including the heading. Empty lines are kept, so a row's number is its line number. */
  rows: string[][]
}

const NAMES: Record<Field, RegExp> = {
  address: /address|e-?mail|phone|mobile|number|recipient|contact/i,
  channel: /channel|type|kind/i,
  reason: /reason|status|why|cause/i,
  note: /note|comment|remark/i,
}
const ADDRESS = /@|^\W*\d[\d\s().\-/]{6,}$/

/** Whether the first line is a heading: none of its cells is an address. */
export const hasHeading = ({ rows }: Sheet): boolean => !(rows[0] ?? []).some((cell) => ADDRESS.test(cell.trim()))

/** Guesses columns by heading, otherwise by the first rows. */
export function guessMapping(sheet: Sheet, isHeaded: boolean): Mapping {
  const heading = isHeaded ? (sheet.rows[0] ?? []) : []
  const named = (field: Field) => heading.findIndex((name) => NAMES[field].test(name))
  const sample = sheet.rows.slice(isHeaded ? 1 : 0, 20)
  const looked = listColumns(sheet).find((column) => sample.some((row) => ADDRESS.test(row[column]?.trim() ?? '')))
  const address = named('address') >= 0 ? named('address') : (looked ?? 0)
  const findOtherField = (field: Field) => (named(field) >= 0 && named(field) !== address ? named(field) : null)
  return { address, channel: findOtherField('channel'), reason: findOtherField('reason'), note: findOtherField('note') }
}

const listColumns = ({ rows }: Sheet): number[] =>
  Array.from({ length: Math.max(0, ...rows.slice(0, 50).map((row) => row.length)) }, (_, column) => column)

const nameColumn = (sheet: Sheet, column: number, isHeaded: boolean): string =>
  (isHeaded && sheet.rows[0]?.[column]?.trim()) || `Column ${column + 1}`

/** Skips empty lines. */
export function buildRows({ rows }: Sheet, mapping: Mapping, isHeaded: boolean): ImportRow[] {
  const cell = (row: string[], column: number | null, most: number) =>
    (column === null ? '' : (row[column] ?? '')).trim().slice(0, most)
  return rows.flatMap((row, index) => {
    if ((isHeaded && index === 0) || row.every((each) => each.trim() === '')) return []
    return [
      {
        line: index + 1,
        address: cell(row, mapping.address, 400),
        channel: cell(row, mapping.channel, 100),
        reason: cell(row, mapping.reason, 100),
        note: cell(row, mapping.note, 400),
      },
    ]
  })
}

// Describes an entry's source. Pure.

const badges: Record<SuppressionReason, { tone: Tone; icon: Icon }> = {
  unsubscribed: { tone: 'info', icon: IconHandStop },
  complaint: { tone: 'bad', icon: IconFlag },
  hard_bounce: { tone: 'warn', icon: IconMailX },
  manual: { tone: 'quiet', icon: IconBan },
  invalid: { tone: 'warn', icon: IconMailX },
  erased: { tone: 'quiet', icon: IconUserOff },
}

/** Why the entry cannot be removed. */
const staysBecause = {
  unsubscribed: 'Only they can undo this',
  complaint: 'Permanent: spam report',
  erased: 'Permanent: erased',
}

interface Props {
  filter: SuppressionFilter
  mayChange: boolean
  onShowAll: () => void
}

function SuppressionEntries(props: Props) {
  const list = useSuppressions(props.filter)
  return (
    <Loaded
      query={list}
      loading={<LoadingRows count={6} />}
      failed="The list could not be loaded"
      className="suppressions-body"
    >
      {({ pages }) => <Entries {...props} pages={pages} more={<ShowMore list={list} />} />}
    </Loaded>
  )
}

/** Suppressed by an earlier version because of a reply that does not concern the address. */
function DoubtfulEntries({ mayChange }: { mayChange: boolean }) {
  const { data } = useDoubtfulSuppressions()
  const [selected, setSelected] = useState<SuppressionEntry | null>(null)
  if (!data || data.entries.length === 0) return null
  return (
    <section className="suppressions-removed" aria-label="Possibly valid addresses">
      <Title order={3} fz="sm">
        Possibly valid addresses
      </Title>
      <Text fz="sm" c="dimmed" mt={4}>
        These addresses were added after a bounce, but the mail server’s answer names another cause, such as its policy
        or a full mailbox. They stay on the list until you remove them.
      </Text>
      <ul className="suppressions">
        {data.entries.map((entry) => (
          <Entry
            key={entry.id}
            entry={{ ...entry, note: entry.reply }}
            onRemove={mayChange ? () => setSelected(entry) : null}
          />
        ))}
      </ul>
      <RemoveDialog key={selected?.id} entry={selected} isDoubtful onClose={() => setSelected(null)} />
    </section>
  )
}

interface EntriesProps extends Props {
  pages: NonNullable<ReturnType<typeof useSuppressions>['data']>['pages']
  more: ReactNode
}

function Entries({ filter, mayChange, onShowAll, pages, more }: EntriesProps) {
  const [selected, setSelected] = useState<SuppressionEntry | null>(null)
  const entries = pages.flatMap((page) => page.entries)
  const [first] = pages
  return (
    <>
      <Text className="suppressions-count" role="status">
        {formatCounted(first!.total, 'entry', 'entries')}
      </Text>
      {entries.length === 0 ? (
        <Nothing isFiltered={Object.keys(filter).length > 0} onShowAll={onShowAll} />
      ) : (
        <ul className="suppressions">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} onRemove={mayChange ? () => setSelected(entry) : null} />
          ))}
        </ul>
      )}
      {more}
      <Removed entries={first!.removed} />
      <RemoveDialog key={selected?.id} entry={selected} onClose={() => setSelected(null)} />
    </>
  )
}

function Nothing({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) {
  if (!isFiltered) {
    return (
      <Empty
        icon={IconBan}
        title="Nobody is suppressed"
        text="People who unsubscribe and addresses that bounce are added automatically."
        isFirst
      />
    )
  }
  return (
    <Empty icon={IconSearchOff} text="No entry matches. Addresses that are not on the list can get messages.">
      <Button variant="default" onClick={onShowAll}>
        Show the whole list
      </Button>
    </Empty>
  )
}

function Entry({ entry, onRemove }: { entry: SuppressionEntry; onRemove: (() => void) | null }) {
  const { address, channel, reason, note, since } = entry
  return (
    <li>
      <div className="suppression-words">
        <div className="suppression-who">
          {address === null ? (
            <span className="suppression-erased">
              <IconFingerprint size={16} aria-hidden /> Erased person
            </span>
          ) : (
            <strong>{address}</strong>
          )}
          <StatusBadge {...badges[reason]} label={suppressionTexts.reasons[reason]} />
        </div>
        <Text fz="xs" c="dimmed">
          {suppressionTexts.channels[channel]} · since <DateTime at={since} /> · {describeSource(entry)}
        </Text>
        {note && <Text fz="xs">“{note}”</Text>}
      </div>
      {removalByReason[reason] === 'person' ? (
        <Text fz="xs" c="dimmed" className="suppression-stays">
          {staysBecause[reason as keyof typeof staysBecause]}
        </Text>
      ) : (
        onRemove && (
          <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${address ?? 'the entry'}`}>
            Remove
          </Button>
        )
      )}
    </li>
  )
}

interface RemoveDialogProps {
  entry: SuppressionEntry | null
  /** The server's reply names a cause other than the address. */
  isDoubtful?: boolean
  onClose: () => void
}

function RemoveDialog({ entry, isDoubtful = false, onClose }: RemoveDialogProps) {
  const remove = useRemoveSuppression()
  if (!entry) return null
  return (
    <Confirm
      opened
      title={`Remove ${entry.address ?? 'this entry'} from the list?`}
      confirmLabel="Remove"
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(entry.id, {
          onSuccess: () => {
            announce('Removed from the list.')
            onClose()
          },
        })
      }
    >
      <Text>
        This address can get messages again: {suppressionTexts.channels[entry.channel].toLowerCase()}. Other entries for
        the same address stay. The removal is recorded with your name.
      </Text>
      {entry.reason === 'hard_bounce' && !isDoubtful && (
        <Text mt="sm" fw={550}>
          A mail server reported that this address does not work. If it still does not, your sender reputation may
          suffer. Remove it only if you know that it works now.
        </Text>
      )}
    </Confirm>
  )
}

function Removed({ entries }: { entries: RemovedEntry[] }) {
  if (entries.length === 0) return null
  return (
    <section className="suppressions-removed" aria-label="Removed from the list">
      <Title order={3} fz="sm">
        Removed from the list
      </Title>
      <ul>
        {entries.map(({ id, address, reason, channel, removedBy, removedAt }) => (
          <li key={id}>
            {address ?? 'Erased person'} ({suppressionTexts.reasons[reason]}, {suppressionTexts.channels[channel]}) by{' '}
            {removedBy ?? 'a former member'}, <DateTime at={removedAt} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const SOURCES: Record<string, string> = {
  'by hand': 'added manually',
  'one-click': 'with the unsubscribe button of their email app',
  'unsubscribe page': 'on the unsubscribe page',
  'preference page': 'on the preference page',
  smtp: 'the mail server refused the address',
  dsn: 'an email bounced',
  arf: 'reported by their email provider',
  sms: 'reported by the SMS provider',
  whatsapp: 'reported by the WhatsApp provider',
  ses: 'reported by Amazon SES',
  postmark: 'reported by Postmark',
  sendgrid: 'reported by SendGrid',
  mailgun: 'reported by Mailgun',
  erasure: 'erased on request',
}

/** A file source has the form `file old.csv`; unknown sources are shown unchanged. */
function describeSource({ source, addedBy }: Pick<SuppressionEntry, 'source' | 'addedBy'>): string {
  const text = source.startsWith('file')
    ? source.replace(/^file ?/, 'from the file ').trim()
    : (SOURCES[source] ?? source)
  return addedBy ? `${text} (${addedBy})` : text
}

const LIST = ['suppressions']

function useSuppressions(filter: SuppressionFilter) {
  return useInfiniteQuery({
    queryKey: [...LIST, filter],
    queryFn: ({ pageParam, signal }) =>
      call(listSuppressions, { query: { ...filter, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  })
}

const useDoubtfulSuppressions = () =>
  useQuery({ queryKey: [...LIST, 'doubtful'], queryFn: ({ signal }) => call(listDoubtfulSuppressions, { signal }) })

/** Refetches the list after a change. */
function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: change, onSuccess: () => queries.invalidateQueries({ queryKey: LIST }) })
}

const useAddSuppression = () =>
  useChange((body: { address: string; channels: ('sms' | 'whatsapp')[]; note: string }) =>
    call(addSuppression, { body }),
  )

const useRemoveSuppression = () =>
  useChange((suppressionId: string) => call(removeSuppression, { params: { suppressionId } }))

const useExportSuppressions = () => useDownload((query: SuppressionFilter) => call(exportSuppressions, { query }))

interface ImportReport {
  taken: number
  known: number
  refused: { line: number; problem: string }[]
}

/**
 * Uploads a file in chunks; `onPart` receives the number of rows sent. Rows are idempotent, so the whole file may be
 * sent again after a failure.
 */
function useImportSuppressions(onPart: (rowsDone: number) => void) {
  return useChange(
    async (file: { rows: ImportRow[]; reason: Exclude<SuppressionReason, 'erased'>; fileName: string }) => {
      const report: ImportReport = { taken: 0, known: 0, refused: [] }
      for (let start = 0; start < file.rows.length; start += MAX_IMPORT_ROWS_PER_CALL) {
        const rows = file.rows.slice(start, start + MAX_IMPORT_ROWS_PER_CALL)
        const { taken, known, refused } = await call(importSuppressions, { body: { ...file, rows } })
        report.taken += taken
        report.known += known
        report.refused.push(...refused)
        onPart(start + rows.length)
      }
      return report
    },
  )
}
