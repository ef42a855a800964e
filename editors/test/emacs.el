;;; Checks in Emacs, without a window, what an editor's user does with `planproof lsp'.  -*- lexical-binding: t -*-
;; Run by editors/test/run, in a folder with domain.pddl, p.pddl, p.plan and faulty.pddl, with the settings of
;; docs/EDITORS.md.

(require 'eglot)
(require 'flymake)

(defun check (name ok &optional seen)
  (if ok
      (princ (format "ok %s\n" name))
    (princ (format "FAILED %s: %S\n" name seen))
    (kill-emacs 1)))

(defun await (name f)
  "Wait until F gives something, and return that."
  (let ((end (+ (float-time) 20)) got)
    (while (and (not (setq got (funcall f))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (check name got (with-current-buffer (current-buffer) (list (buffer-name) (flymake-diagnostics))))
    got))

(defun visit (name)
  "Open a file, and wait for the server."
  (switch-to-buffer (find-file-noselect name))
  (run-hooks 'post-command-hook)        ; eglot-ensure waits for the first command
  (await (concat "the server manages " name) #'eglot-current-server))

(defun at (what &optional shift)
  (goto-char (point-min))
  (check (concat "there is " what) (search-forward what nil t) (buffer-string))
  (goto-char (+ (match-beginning 0) (or shift 0))))

(defun faults ()
  (eglot--signal-textDocument/didChange) ; what an idle Emacs does; one in batch mode is never idle
  (flymake-start)
  (flymake-diagnostics))

(setq eglot-confirm-server-initiated-edits nil
      eglot-sync-connect 10)

;; The user agrees to a rename over several files.
(advice-add 'y-or-n-p :override (lambda (&rest _) t))

;; The fault and its place.
(visit "faulty.pddl")
(check "the mode" (eq major-mode 'pddl-mode) major-mode)
(flymake-mode 1)
(let* ((it (car (await "the fault arrives" #'faults)))
       (word (buffer-substring-no-properties (flymake-diagnostic-beg it) (flymake-diagnostic-end it))))
  (check "its place" (equal word "onntable") word)
  (check "its code and hint" (string-match-p "did you mean 'ontable'" (flymake-diagnostic-text it)) (flymake-diagnostic-text it))
  ;; The quick fix, as eglot applies it.
  (goto-char (flymake-diagnostic-beg it))
  (let* ((actions (eglot-code-actions (point) (1+ (point))))
         (fix (seq-find (lambda (a) (string-match-p "ontable" (plist-get a :title))) actions)))
    (check "a quick fix is offered" fix actions)
    (eglot--apply-workspace-edit (plist-get fix :edit))))
(check "the fix mends the text" (not (string-match-p "onntable" (buffer-string))) (buffer-string))
(await "the fault goes" (lambda () (null (faults))))

;; Hover, definition, references.
(at "(ontable" 2)
(let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (check "hover says what writes the predicate" (string-match-p "made true by `put-down`" (format "%S" hover)) hover))
(let ((eldoc nil))
  (eglot-hover-eldoc-function (lambda (text &rest _) (setq eldoc text)))
  (await "eldoc shows it" (lambda () (and eldoc (string-match-p "put-down" eldoc)))))
(call-interactively #'xref-find-definitions)
(check "definition goes to the domain" (equal (buffer-name) "domain.pddl") (buffer-name))
(check "definition goes to the declaration" (looking-at "ontable \\?block)") (thing-at-point 'line))
(let ((refs (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot))))
  (check "references of all files" (> (length refs) 8) refs))

;; Completion.
(visit "domain.pddl")
(at ":precondition (and (clear" 20)
(let* ((capf (eglot-completion-at-point))
       (all (all-completions "" (nth 2 capf))))
  (check "completion names the predicates" (member "handempty" all) all))

;; Rename, in the domain and in the problems.
(at "ontable ?block" 1)
(eglot-rename "on-table")
(check "rename changes the domain" (string-match-p "(on-table \\?block)" (buffer-string)) (buffer-string))
(save-some-buffers t)
(visit "p.pddl")
(check "rename changes the problem"
       (and (string-match-p "(on-table c)" (buffer-string)) (not (string-match-p "(ontable " (buffer-string))))
       (buffer-string))
(flymake-mode 1)
(await "nothing is wrong after it" (lambda () (null (faults))))

;; Format.
(eglot-format-buffer)
(let ((neat (buffer-string)))
  (goto-char (point-min))
  (while (re-search-forward "\n +" nil t) (replace-match "\n"))
  (eglot-format-buffer)
  (check "format lays the text out" (equal (buffer-string) neat) (buffer-string)))
(save-some-buffers t)

;; A plan: the step that cannot be.
(visit "p.plan")
(check "the mode of plans" (eq major-mode 'plan-mode) major-mode)
(flymake-mode 1)
(await "the plan has no fault" (lambda () (null (faults))))
(goto-char (point-min))
(delete-region (point) (line-beginning-position 2))
(let ((it (car (await "the step that fails is marked" #'faults))))
  (check "with the reason" (string-match-p "stack" (flymake-diagnostic-text it)) (flymake-diagnostic-text it)))
(set-buffer-modified-p nil)

;; Outline, and solving.
(visit "p.pddl")
(check "outline" (imenu--make-index-alist t))
(planproof-solve)
(let ((shown (with-current-buffer "*planproof*" (buffer-string))))
  (check "a cheapest plan is shown" (string-match-p "cost 10 in 10 steps, and no plan is cheaper\n(unstack" shown) shown))
(visit "p.plan")
(planproof-validate)
(let ((shown (with-current-buffer "*planproof*" (buffer-string))))
  (check "the verdict is shown" (string-match-p "stack" shown) shown))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
(princ "ALL PASSED\n")
