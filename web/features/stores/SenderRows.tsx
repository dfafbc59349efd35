import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { SenderRow } from './text-rules.ts'

interface Props {
  rows: SenderRow[]
  /** By index and field, such as `senders.0.sender`. */
  errors: Readonly<Record<string, unknown>>
  onChange: (rows: SenderRow[]) => void
}

/** Which number or name sends to which country; the first row covers all others. */
export function SenderRows({ rows, errors, onChange }: Props) {
  const set = (at: number, change: Partial<SenderRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)))
  return (
    <fieldset className="plain-fieldset">
      <Text component="legend" fz="sm" fw={550}>
        Senders
      </Text>
      <Text fz="xs" c="dimmed" mb={6}>
        A phone number such as +12025550100, a messaging service (MG…), a short code, or a name. Names have up to 11
        letters and digits; some countries do not allow them.
      </Text>
      <Stack gap="xs">
        {rows.map((row, at) => (
          <Group key={row.key} gap="xs" wrap="nowrap" align="flex-start">
            {at === 0 ? (
              <Text fz="sm" w={110} pt={8} style={{ flex: 'none' }}>
                All countries
              </Text>
            ) : (
              <TextInput
                aria-label={`Country of sender ${at + 1}`}
                placeholder="DE"
                maxLength={2}
                w={110}
                style={{ flex: 'none' }}
                value={row.country}
                error={String(errors[`senders.${at}.country`] ?? '') || undefined}
                onChange={(event) => set(at, { country: event.currentTarget.value.toUpperCase() })}
              />
            )}
            <TextInput
              aria-label={at === 0 ? 'Sender for all countries' : `Sender ${at + 1}`}
              placeholder="+12025550100"
              style={{ flex: 1, minWidth: 0 }}
              value={row.sender}
              error={String(errors[`senders.${at}.sender`] ?? '') || undefined}
              onChange={(event) => set(at, { sender: event.currentTarget.value })}
            />
            {at > 0 && (
              <ActionIcon
                variant="default"
                size={36}
                aria-label={`Remove sender ${at + 1}`}
                onClick={() => onChange(rows.filter((_, index) => index !== at))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() =>
            onChange([...rows, { key: Math.max(...rows.map(({ key }) => key)) + 1, country: '', sender: '' }])
          }
        >
          Add a sender for one country
        </Button>
      </Stack>
    </fieldset>
  )
}
