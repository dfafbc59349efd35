import { z } from 'zod'
import { describePlace } from '../../../shared/messages/mail-places.ts'
import { AppError } from '../../core/common/public.ts'

// Validates request input and explains mistakes in plain sentences. A schema's own messages have priority. An absent
// field gets the same message as an empty one.

type RawIssue = z.core.$ZodRawIssue

/** Throws `invalid` with a sentence for the first mistake and one for each field. */
export function readInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const read = schema.safeParse(input, { error: describeIssue })
  if (read.success) return read.data
  throw invalidInput(read.error)
}

export function invalidInput(error: z.ZodError): AppError {
  const fields: Record<string, string> = {}
  const issues = error.issues.flatMap(chooseIssues)
  for (const issue of issues) fields[issue.path.join('.')] ??= describePlaced(issue)
  return new AppError('invalid', issues[0] ? describePlaced(issues[0]) : 'The request is not valid.', { fields })
}

/** A mistake in an email's document names the block. */
function describePlaced({ path, message }: Issue): string {
  const place = describePlace(path)
  return place ? `${place}: ${message}` : message
}

type Issue = z.core.$ZodIssue

/** For a union: the issues of the intended variant, the one without unknown fields. */
function chooseIssues(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.path.length > 0) return [issue]
  const candidates = issue.errors.filter((each) =>
    each.every((one) => one.code !== 'unrecognized_keys' || one.path.length > 0),
  )
  return candidates.toSorted((a, b) => a.length - b.length)[0] ?? [issue]
}

/** Called by zod for every issue whose schema has no message of its own. */
export function describeIssue(issue: RawIssue): string {
  const label = formatLabel(issue.path ?? [])
  if (isAbsent(issue.input)) return findEmptyMessage(issue) ?? `${label} ${isList(issue) ? 'are' : 'is'} required`
  return `${label} ${describeProblem(issue)}`
}

const isAbsent = (input: unknown) =>
  input === undefined || input === null || input === '' || (Array.isArray(input) && input.length === 0)

const isList = ({ inst }: RawIssue) => inst instanceof z.ZodArray

const NO_MESSAGE = '\u0000'

/** The schema's own message for an empty text or list. */
function findEmptyMessage({ inst }: RawIssue): string | undefined {
  if (!(inst instanceof z.ZodString || inst instanceof z.ZodArray)) return undefined
  const empty = inst instanceof z.ZodArray ? [] : ''
  const message = inst.safeParse(empty, { error: () => NO_MESSAGE }).error?.issues[0]?.message
  return message === NO_MESSAGE ? undefined : message
}

function describeProblem(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return Array.isArray(issue.input) && issue.expected !== 'array'
        ? 'must be a single value'
        : `must be ${typeText[issue.expected] ?? 'of another kind'}`
    case 'too_small':
      return describeSize(issue.origin, Number(issue.minimum), issue.inclusive === false ? 'more than' : 'at least')
    case 'too_big':
      return describeSize(issue.origin, Number(issue.maximum), issue.inclusive === false ? 'less than' : 'at most')
    case 'invalid_format':
      return formatText[issue.format] ?? 'is not valid'
    case 'invalid_value':
      return issue.values.length <= 12
        ? `must be ${joinOptions(issue.values.map(String))}`
        : 'is not one of the possible values'
    case 'unrecognized_keys':
      return 'has an unknown field'
    default:
      return 'is not valid'
  }
}

const typeText: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
}

const formatText: Record<string, string> = {
  email: 'must be an email address',
  url: 'must be a web address',
  date: 'must be a date such as 2026-05-31',
  datetime: 'must be a date and time such as 2026-05-31T12:00:00Z',
}

function describeSize(origin: string, size: number, bound: string): string {
  if (origin === 'string') return `must have ${bound} ${size} character${size === 1 ? '' : 's'}`
  if (origin === 'array' || origin === 'set') return `must have ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`
  return `must be ${bound} ${size}`
}

const joinOptions = (values: string[]) =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`

const spellings: Record<string, string> = { id: 'ID', ids: 'IDs', url: 'URL', sms: 'SMS', whatsapp: 'WhatsApp' }

/** `['steps', 0, 'delayMinutes']` is "Delay minutes", `['cartIds', 3]` is "Entry 4 of cart IDs". */
function formatLabel(path: readonly PropertyKey[]): string {
  const name = path.findLast((part): part is string => typeof part === 'string')
  if (name === undefined) return 'The request'
  const label = name
    .slice(0, 60)
    .replace(/([a-z])(?=[A-Z])|_/g, '$1 ')
    .toLowerCase()
    .split(' ')
    .map((word) => spellings[word] ?? word)
    .join(' ')
  const last = path.at(-1)
  if (typeof last === 'number') return `Entry ${last + 1} of ${label}`
  return label.charAt(0).toUpperCase() + label.slice(1)
}
