-- Checks in Neovim, without a window, what an editor's user does with `planproof lsp`. Run by editors/test/run, in a
-- folder with domain.pddl, p.pddl, p.plan and faulty.pddl, with the settings of docs/EDITORS.md.

local function say(text) io.stdout:write(text .. "\n") end

local function check(name, ok, seen)
  if ok then
    say("ok " .. name)
  else
    say("FAILED " .. name .. ": " .. vim.inspect(seen))
    vim.cmd("cquit 1")
  end
end

-- await waits until f gives something, and returns that.
local function await(name, f)
  local got
  vim.wait(20000, function() got = f() return got ~= nil and got ~= false end, 20)
  check(name, got ~= nil and got ~= false, vim.lsp.get_log_path())
  return got
end

-- open opens a file, and waits for the server.
local function open(name)
  vim.cmd("edit " .. name)
  return await("the server is attached to " .. name, function() return vim.lsp.get_clients({ bufnr = 0 })[1] end)
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end

-- at puts the cursor on the first occurrence of a string, and then some columns further.
local function at(what, shift)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local line = vim.fn.search("\\V" .. what, "cW")
  check("there is " .. what, line > 0, text())
  local pos = vim.api.nvim_win_get_cursor(0)
  vim.api.nvim_win_set_cursor(0, { pos[1], pos[2] + (shift or 0) })
end

local function ask(method, more)
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, client.offset_encoding), more or {})
  local reply = client:request_sync(method, params, 10000, 0)
  check(method .. " is answered", reply and not reply.err, reply)
  return reply.result
end

-- The fault, its place and its code.
local client = open("faulty.pddl")
check("the language of the buffer", vim.bo.filetype == "pddl", vim.bo.filetype)
check("the root is the folder", vim.fs.basename(client.root_dir) == "neovim", client.root_dir)
local faults = await("the fault arrives", function()
  local list = vim.diagnostic.get(0)
  return #list > 0 and list
end)
local line = vim.api.nvim_buf_get_lines(0, faults[1].lnum, faults[1].lnum + 1, false)[1]
check("its place", line:sub(faults[1].col + 1, faults[1].end_col) == "onntable", faults)
check("its code", faults[1].code == "undeclared-predicate", faults[1].code)
check("its hint", faults[1].message:find("did you mean 'ontable'", 1, true), faults[1].message)

-- The quick fix, by Neovim's own way of applying it.
vim.api.nvim_win_set_cursor(0, { faults[1].lnum + 1, faults[1].col + 1 })
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:find("ontable", 1, true) ~= nil end })
await("the fix mends the text", function() return not text():find("onntable", 1, true) end)
await("the fault goes", function() return #vim.diagnostic.get(0) == 0 end)

-- Hover, definition, references.
at("(ontable", 2)
local hover = ask("textDocument/hover")
check("hover says what writes the predicate", vim.inspect(hover):find("made true by `put-down`", 1, true), hover)
vim.lsp.buf.definition()
await("definition goes to the domain", function() return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "domain.pddl" end)
check("definition goes to the declaration", vim.api.nvim_get_current_line():find("(ontable ?block)", 1, true), vim.api.nvim_get_current_line())
await("the server is attached to domain.pddl", function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
at("(clear ?block)", 2)
local refs = ask("textDocument/references", { context = { includeDeclaration = true } })
check("references of all files", #refs > 8, refs)

-- Completion.
at(":precondition (and (clear", 20)
local items = ask("textDocument/completion")
items = items.items or items
check("completion names the predicates", vim.iter(items):any(function(i) return i.label == "handempty" end), items)

-- Rename, in the domain and in the problems, also those that are not open.
at("ontable ?block", 1)
vim.lsp.buf.rename("on-table")
await("rename changes the domain", function() return text():find("(on-table ?block)", 1, true) end)
vim.cmd("silent! wall")
open("p.pddl")
await("rename changes the problem", function() return text():find("(on-table c)", 1, true) and not text():find("(ontable ", 1, true) end)
await("nothing is wrong after it", function() return #vim.diagnostic.get(nil) == 0 end)

-- Format.
vim.lsp.buf.format({ timeout_ms = 10000 })
local neat = text()
vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(neat:gsub("\n%s+", "\n"), "\n"))
vim.lsp.buf.format({ timeout_ms = 10000 })
check("format lays the text out", text() == neat, text())
vim.cmd("silent! wall")

-- A plan: hints behind the steps, the fault of a step that cannot be.
open("p.plan")
vim.lsp.inlay_hint.enable(true)
local hints = await("hints behind the steps", function()
  local list = vim.lsp.inlay_hint.get({ bufnr = 0 })
  return #list > 0 and list
end)
check("a hint says what changes", vim.inspect(hints[1].inlay_hint.label):find("+(holding", 1, true), hints[1])
vim.api.nvim_buf_set_lines(0, 0, 1, false, {})
local broken = await("the step that fails is marked", function()
  local list = vim.diagnostic.get(0)
  return #list > 0 and list
end)
check("with the kind of the verdict", broken[1].code == "precondition", broken)
vim.cmd("silent undo")
await("and is right again", function() return #vim.diagnostic.get(0) == 0 end)

-- Outline, tokens, and the code lens.
open("p.pddl")
check("outline", #ask("textDocument/documentSymbol") > 0)
await("tokens are coloured", function()
  local pos = vim.fn.searchpos("\\V(on-table", "nw")
  return vim.lsp.semantic_tokens.get_at_pos(0, pos[1] - 1, pos[2]) and #vim.lsp.semantic_tokens.get_at_pos(0, pos[1] - 1, pos[2]) > 0
end)
vim.lsp.codelens.refresh({ bufnr = 0 })
await("code lenses", function() return #vim.lsp.codelens.get(0) > 0 end)
at("blocksworld-4-17")
local choose = vim.ui.select
vim.ui.select = function(list, opts, f)
  for i, it in ipairs(list) do
    if (opts.format_item and opts.format_item(it) or ""):find("solve", 1, true) then return f(it, i) end
  end
end
vim.lsp.codelens.run()
await("the lens opens a plan", function() return vim.bo.buftype == "nofile" and text():find("(unstack", 1, true) end)
vim.ui.select = choose
check("with the cost", text():find("cost 10 in 10 steps, and no plan is cheaper", 1, true), text())

vim.lsp.stop_client(vim.lsp.get_clients())
await("the server stops", function() return #vim.lsp.get_clients() == 0 end)
say("ALL PASSED")
vim.cmd("qall!")
