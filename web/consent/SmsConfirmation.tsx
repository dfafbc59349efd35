import { Radio, Stack, Text, Title } from '@mantine/core'
import type { ConsentTable } from '../../shared/consent.ts'
import { Notice } from '../ui/Notice.tsx'
import { useSmsConfirmation } from './country-queries.ts'

type Mode = ConsentTable['smsConfirmation']

/** Which shoppers must confirm their SMS consent by reply. */
export function SmsConfirmation({ mode, mayChange }: { mode: Mode; mayChange: boolean }) {
  const save = useSmsConfirmation()
  const shown = save.isPending ? save.variables : mode
  return (
    <section aria-labelledby="consent-confirmation">
      <Title order={3} id="consent-confirmation">
        Confirming SMS consent
      </Title>
      <Text fz="sm" c="dimmed" mt={4} maw={680}>
        Anyone can enter someone else’s number in a form. One SMS therefore asks that number to confirm: “Do you want
        text messages about your cart? Then reply YES.” Without a reply, nothing more is sent.
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
            label="Where the rule requires it"
            description="Germany, Austria, and countries whose rules are not listed above."
          />
          <Radio
            value="page_script"
            disabled={!mayChange}
            label="Also people who opted in on your shop’s pages"
            description="The capture script reports these consents, and nothing proves who ticked the box. Consent recorded with an order needs no confirmation."
          />
          <Radio
            value="always"
            disabled={!mayChange}
            label="Everyone"
            description="Fewer people will confirm, but nobody is messaged by mistake."
          />
        </Stack>
      </Radio.Group>
      {save.error && (
        <Notice tone="bad" title="Your change could not be saved" isLive>
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
