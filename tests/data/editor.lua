-- What tests/integrations/server/test_neovim.py lets Neovim do: it opens a file, waits for the findings of the server, chooses
-- actions one after the other, each at its line, as DEVLINT_PLAN says, and writes what it saw to a file.
local seen = { steps = {} }
local plan = vim.fn.json_decode(vim.env.DEVLINT_PLAN)

local offered = {}

local function wait(what, is_true)
  if not vim.wait(15000, is_true, 20) then
    error("Neovim waited in vain for " .. what .. "; " .. vim.api.nvim_exec("messages", true) .. vim.inspect(offered))
  end
end

local function findings()
  return vim.tbl_map(function(one)
    return { one.lnum, one.col, one.end_col, one.code, one.message }
  end, vim.diagnostic.get(0))
end

local function work()
  vim.cmd("edit " .. plan.file)
  local client = vim.lsp.start_client({ name = "devlint", cmd = plan.command, root_dir = plan.folder })
  vim.lsp.buf_attach_client(0, client)
  wait("findings", function() return #vim.diagnostic.get(0) == plan.findings end)
  seen.findings = findings()
  for _, step in ipairs(plan.steps) do
    local titles = {}
    offered = titles
    vim.ui.select = function(items, _, choose)
      for _, item in ipairs(items) do
        local action = item.action or item[2]
        table.insert(titles, action.title)
        if action.title:find(step.title, 1, true) then
          choose(item)
        end
      end
    end
    local before = vim.api.nvim_buf_get_changedtick(0)
    vim.api.nvim_win_set_cursor(0, { step.line, 0 })
    vim.lsp.buf.code_action()
    wait(step.title, function() return vim.api.nvim_buf_get_changedtick(0) > before end)
    wait("what is left", function() return #vim.diagnostic.get(0) == step.left end)
    table.insert(seen.steps, {
      titles = titles,
      lines = vim.api.nvim_buf_get_lines(0, 0, -1, true),
      findings = findings(),
    })
  end
  seen.format = vim.bo.fileformat
end

local is_done, message = pcall(work)
seen.error = is_done and vim.NIL or message
vim.fn.writefile({ vim.fn.json_encode(seen) }, plan.result)
vim.cmd("qall!")
