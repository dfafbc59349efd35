import { Radio, Stack, Text, Title } from '@mantine/core'
import type { ConsentTable } from '../../shared/consent.ts'
import { Notice } from '../ui/Notice.tsx'
import { useSmsConfirmation } from './country-queries.ts'

type Mode = ConsentTable['smsConfirmation']

/** Who is asked by SMS whether a yes was meant. */
export function SmsConfirmation({ mode, mayChange }: { mode: Mode; mayChange: boolean }) {
  const save = useSmsConfirmation()
  const shown = save.isPending ? save.variables : mode
  return (
    <section aria-labelledby="consent-confirmation">
      <Title order={3} id="consent-confirmation">
        Confirming a yes to SMS
      </Title>
      <Text fz="sm" c="dimmed" mt={4} maw={680}>
        Anybody can type somebody else’s number into a form. So the number itself is asked, once: “Do you want text
        messages about your cart? Then reply YES.” Without an answer nothing more is sent.
      </Text>
      <Radio.Group
        mt="sm"
        aria-label="Who is asked to confirm"
        value={shown}
        onChange={(value) => save.mutate(value as Mode)}
      >
        <Stack gap="xs">
          <Radio
            value="where_required"
            disabled={!mayChange}
            label="Where the rule asks for it"
            description="Germany, Austria, and countries whose rules are not listed above."
          />
          <Radio
            value="always"
            disabled={!mayChange}
            label="Everybody"
            description="Fewer people will answer, and nobody is written to by mistake."
          />
        </Stack>
      </Radio.Group>
      {save.error && (
        <Notice tone="bad" title="This could not be saved" isLive>
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
