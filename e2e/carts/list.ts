import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { api, instance, type List, names, open, page, search, waiting } from './visit.ts'

// The list of carts: what stands in it, how it is found, sorted, paged, exported, and what it says when there is nothing to show.

export const theList = () =>
  describe('the list (B 2)', () => {
    test('has the specification’s columns; each is sorted both ways by keyboard and says so', async () => {
      await open()
      const heads = await page.getByRole('columnheader').allInnerTexts()
      expect(heads.map((text) => text.trim()).filter(Boolean)).toEqual([
        ...['Customer', 'Email', 'Phone', 'Items', 'Value', 'Abandoned', 'Status', 'Window', 'Actions'],
      ])
      expect(await page.getByRole('columnheader', { name: 'Abandoned' }).getAttribute('aria-sort')).toBe('descending')
      for (const [label, first, second] of [
        ['Value', 'descending', 'ascending'],
        ['Customer', 'ascending', 'descending'],
      ] as const) {
        const head = page.getByRole('columnheader', { name: label })
        for (const way of [first, second]) {
          await head.getByRole('button').press('Enter')
          await expect.poll(() => head.getAttribute('aria-sort'), { timeout: 15_000 }).toBe(way)
        }
      }
      await page.locator('[aria-busy=false] .carts-rows').waitFor()
      const shown = (await names()).map((name) => name.toLowerCase())
      expect(shown).toEqual([...shown].sort().reverse())
    })

    test('is asked for only when it is known which store it is of, and not a second time for that', async () => {
      const asked: string[] = []
      const note = (request: { url(): string }) => {
        if (/\/api\/carts\/abandoned\b/.test(request.url())) asked.push(request.url())
      }
      const known = Promise.withResolvers<void>()
      await page.route('**/api/stores/check-connection*', async (route) => {
        await known.promise
        await route.continue()
      })
      page.on('request', note)
      await page.goto(`${instance.url}/carts`)
      await page.getByRole('heading', { level: 1, name: 'Abandoned Carts' }).waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor()
      // Other questions of the screen have gone out by now.
      await page.waitForFunction(() => performance.getEntriesByName(`${location.origin}/api/auth/me`).length > 0)
      expect(asked).toEqual([])
      known.resolve()
      await page.getByRole('table').waitFor()
      page.off('request', note)
      await page.unroute('**/api/stores/check-connection*')
      expect(asked).not.toEqual([])
    })

    test('search waits a second, then filter, sort and page stand in the address', async () => {
      await open()
      let askedAt = 0
      page.on('request', (request) => {
        if (/carts\/abandoned\?.*search=/.test(request.url())) askedAt ||= Date.now()
      })
      const typedAt = Date.now()
      await page.getByRole('searchbox', { name: 'Search customers' }).pressSequentially('le')
      await page.waitForURL(/search=le/)
      await expect.poll(() => askedAt).toBeGreaterThanOrEqual(typedAt + 1_000)
      await page.getByLabel('Status').selectOption('Email Sent')
      await page.waitForURL(/status=email\+sent/)
      // A word that many have, whatever past the demo has been given: their address’ domain.
      await open('?search=example&sort=value&order=asc&page=2')
      expect(await page.getByRole('columnheader', { name: 'Value' }).getAttribute('aria-sort')).toBe('ascending')
      await page.getByText(/^Showing 11 to \d+ of \d+ entries$/).waitFor()
      page.removeAllListeners('request')
      const { customer_email: address } = waiting[0]!
      await open(`?search=${encodeURIComponent(address!)}`)
      await page.getByRole('cell', { name: address! }).waitFor()
    })

    test('is filtered by what an email can reach and by each reason, which stand in the address', async () => {
      await open()
      const filter = page.getByLabel('Can an email reach the shopper?')
      const countOf = async (name: string) => {
        const option = filter.locator('option').filter({ hasText: new RegExp(`^${name}: `) })
        await option.waitFor({ state: 'attached' })
        return Number((await option.innerText()).split(': ').at(-1)!.replace(',', ''))
      }
      const nameless = await countOf('No email')
      await filter.selectOption('no_contact')
      await page.waitForURL(/reach=no_contact/)
      await page.getByText(new RegExp(`^Showing 1 to 10 of ${nameless} entries$`)).waitFor()
      const marks = page.locator('.reason-mark')
      await expect.poll(async () => (await marks.allInnerTexts()).length, { timeout: 15_000 }).toBe(10)
      expect(new Set((await marks.allInnerTexts()).map((text) => text.split('\n')[0]!.split(':')[0]))).toEqual(
        new Set(['No email']),
      )
      await open('?reach=reachable&days=30')
      expect(await page.locator('.reason-mark').count()).toBe(0)
      await page.getByRole('button', { name: 'Abandoned in the last 30 days: remove this filter' }).click()
      await page.waitForURL((url) => !url.searchParams.has('days') && url.searchParams.get('reach') === 'reachable')
      await page.goto(`${instance.url}/carts?reach=merged`)
      await page.getByText('No abandoned carts match your current filters.').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.waitForURL((url) => !url.searchParams.has('reach'))
      await page.locator('[aria-busy=false] .carts-rows').waitFor()
    })

    test('is kept for five minutes and asked for at most once a second', async () => {
      // News of the store asks too.
      await page.route('**/socket.io/**', (route) => route.abort())
      await open()
      const asked: number[] = []
      page.on('request', (request) => /carts\/abandoned\?.*page=/.test(request.url()) && asked.push(Date.now()))
      const turn = (name: string) => page.getByRole('button', { name, exact: true }).click()
      for (const wanted of [2, 3, 4]) {
        await turn('Next')
        await page.waitForURL(new RegExp(`page=${wanted}`))
      }
      await page.getByText(/^Showing 31 to 40 /).waitFor()
      for (const [index, at] of asked.entries()) if (index > 0) expect(at - asked[index - 1]!).toBeGreaterThan(900)
      const before = asked.length
      await turn('Previous')
      await turn('Next')
      await page.getByText(/^Showing 31 to 40 /).waitFor()
      // Whatever these two have asked for is asked for by the time of the next.
      await turn('Next')
      await page.getByText(/^Showing 41 to 50 /).waitFor()
      expect(asked.length - before).toBeLessThanOrEqual(2)
      page.removeAllListeners('request')
      await page.unroute('**/socket.io/**')
    })

    test('pages say where one is, and are there only when there are more than one', async () => {
      await open()
      const { pagination } = await api<List>('/api/carts/abandoned')
      const pages = Math.ceil(pagination.total / 10)
      await page.getByText(`Showing 1 to 10 of ${pagination.total} entries`, { exact: true }).waitFor()
      await page.getByText(`Page 1 of ${pages}`, { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText(`Page 2 of ${pages}`, { exact: true }).waitFor()
      await search(waiting[0]!.customer_email!)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'detached' })
    })

    test('says why nothing is there, and what failed, in the specification’s words', async () => {
      // News of the store would ask again by itself, before anybody presses Retry.
      await page.route('**/socket.io/**', (route) => route.abort())
      await page.goto(`${instance.url}/carts?search=nobody-is-called-this`)
      await page
        .getByText('No abandoned carts match your current filters. Try adjusting your search or filter criteria.')
        .waitFor()
      await page.goto(`${instance.url}/carts?page=9999`)
      await page.getByText('No abandoned carts to display on this page.').waitFor()
      const answer = async (json: object, status = 200) => {
        await page.unroute('**/api/carts/abandoned*')
        await page.route('**/api/carts/abandoned*', (route) => route.fulfill({ status, json }))
        await page.goto(`${instance.url}/carts`)
      }
      const none = { page: 1, limit: 10, total: 0, pages: 0 }
      await answer({ carts: [], pagination: none, syncAgeSeconds: null })
      await page.getByText('No abandoned carts found. Your store might not have any abandoned carts yet.').waitFor()
      await answer({ error: 'x', code: 'internal' }, 500)
      const alert = page.getByRole('alert')
      await alert.getByText('Failed to fetch abandoned carts. Please try again.').waitFor()
      await answer({ error: 'The database rests.', code: 'unavailable' }, 400)
      await alert.getByText('The database rests.').waitFor()
      await answer({ error: 'x', code: 'not_found' }, 404)
      await alert.getByText('No platform selected. Please connect a store first.').waitFor()
      await page.unroute('**/api/carts/abandoned*')
      await alert.getByRole('button', { name: 'Retry' }).click()
      await page.getByRole('table').waitFor()
      await page.unroute('**/socket.io/**')
    })

    test('columns are chosen by keyboard and stay so', async () => {
      await open()
      await page.getByRole('button', { name: 'Columns' }).press('Enter')
      await page.getByRole('checkbox', { name: 'Phone' }).press('Space')
      await page.getByRole('checkbox', { name: 'State' }).press('Space')
      await page.keyboard.press('Escape')
      await page.reload()
      await page.getByRole('columnheader', { name: 'State' }).waitFor()
      expect(await page.getByRole('columnheader', { name: 'Phone' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('button', { name: 'Standard columns' }).click()
      await page.getByRole('columnheader', { name: 'Phone' }).waitFor()
      await page.keyboard.press('Escape')
    })

    test('the recovery window counts down from 24 hours and then reads Expired', async () => {
      await open()
      const cells = await page
        .locator('.carts-rows tbody tr')
        .evaluateAll((rows) => rows.map((each) => each.textContent))
      expect(cells.some((text) => /\d{1,2}:\d\d:\d\d/.test(text ?? ''))).toBe(true)
      await open('?order=asc&status=no+response')
      await expect.poll(() => page.getByRole('cell', { name: 'Expired' }).count()).toBe(10)
    })

    test('goes out as a CSV file of the filter', async () => {
      const [cart] = waiting
      await open()
      await search(cart!.customer_email!)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export CSV' }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(/^abandoned-carts-[\d-]+\.csv$/)
      const lines = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\r\n')
      expect(lines[0]).toContain('Customer,Email,Phone,Items,Products,Value')
      expect(lines.slice(1).filter((line) => !line.includes(cart!.customer_email!))).toEqual([])
    })
  })
