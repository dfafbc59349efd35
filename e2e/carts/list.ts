import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { api, house, type List, names, open, page, search, waiting } from './visit.ts'

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
          await head.getByRole('button').focus()
          await page.keyboard.press('Enter')
          await expect.poll(() => head.getAttribute('aria-sort'), { timeout: 15_000 }).toBe(way)
        }
      }
      await page.locator('[aria-busy=false] .carts-rows').waitFor()
      const shown = (await names()).map((name) => name.toLowerCase())
      expect(shown).toEqual([...shown].sort().reverse())
    })

    test('search waits a second, then filter, sort and page stand in the address', async () => {
      await open()
      const asked: string[] = []
      page.on('request', (request) => /carts\/abandoned\?.*search=/.test(request.url()) && asked.push(request.url()))
      await page.getByRole('searchbox', { name: 'Search customers' }).pressSequentially('le', { delay: 100 })
      await page.waitForTimeout(500)
      expect(asked).toEqual([])
      await page.waitForURL(/search=le/)
      await page.getByLabel('Status').selectOption('Email Sent')
      await page.waitForURL(/status=email\+sent/)
      await open('?search=e&sort=value&order=asc&page=2')
      expect(await page.getByRole('columnheader', { name: 'Value' }).getAttribute('aria-sort')).toBe('ascending')
      await page.getByText(/^Showing 11 to \d+ of \d+ entries$/).waitFor()
      page.removeAllListeners('request')
      const { customer_email: address } = waiting[0]!
      await open(`?search=${encodeURIComponent(address!)}`)
      await page.getByRole('cell', { name: address! }).waitFor()
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
      await page.waitForTimeout(1_500)
      expect(asked.length - before).toBeLessThanOrEqual(1)
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
      await page.goto(`${house.url}/carts?search=nobody-is-called-this`)
      await page
        .getByText('No abandoned carts match your current filters. Try adjusting your search or filter criteria.')
        .waitFor()
      await page.goto(`${house.url}/carts?page=9999`)
      await page.getByText('No abandoned carts to display on this page.').waitFor()
      const answer = async (json: object, status = 200) => {
        await page.unroute('**/api/carts/abandoned*')
        await page.route('**/api/carts/abandoned*', (route) => route.fulfill({ status, json }))
        await page.goto(`${house.url}/carts`)
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
      await open('?order=asc')
      expect(await page.getByRole('cell', { name: 'Expired' }).count()).toBe(10)
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
